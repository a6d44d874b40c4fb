import Dispatch
import WebImage

/// The answer of work that cannot be stopped half-way, done on a thread of the system.
///
/// A cancelled task waits for it no longer; the process, which ends then, takes the work along.
///
/// - Throws: What the work throws, or `cancelled`.
func abandoningWhenCancelled<Value: Sendable>(
    _ work: @escaping @Sendable () throws(ImageError) -> Value
) async throws(ImageError) -> Value {
    let (answers, answer) = AsyncStream.makeStream(of: Result<Value, ImageError>.self)
    DispatchQueue.global(qos: .userInitiated).async {
        answer.yield(Result(catching: work))
        answer.finish()
    }
    // The stream of a cancelled task ends without an answer.
    for await result in answers { return try result.get() }
    throw .cancelled(.transform)
}
