#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// How deep callers' closures stand in one another on one thread, so that a chain of pictures in memory, each asked for
/// by the closure that was told of the one before, does not use the stack up.
///
/// Known to its own thread alone.
final class CallNesting {
    /// So many closures stand in one another at most; one more is called by the last of them, when its own returned.
    static let limit = 32

    private var depth = 0
    private var waiting: [() -> Void] = []

    /// That of the calling thread.
    static var ofThread: CallNesting {
        if let known = unsafe pthread_getspecific(key) {
            return unsafe Unmanaged<CallNesting>.fromOpaque(known).takeUnretainedValue()
        }
        let new = CallNesting()
        unsafe pthread_setspecific(key, Unmanaged.passRetained(new).toOpaque())
        return new
    }

    /// Whether the caller may call now, and then has to `end`; else it is to leave its call for `later`.
    func begin() -> Bool {
        guard depth < Self.limit else { return false }
        depth += 1
        return true
    }

    func later(_ call: @escaping () -> Void) {
        waiting.append(call)
    }

    func end() {
        while depth == Self.limit, !waiting.isEmpty {
            let calls = waiting
            waiting = []
            for call in calls { call() }
        }
        depth -= 1
    }

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        let fault = unsafe pthread_key_create(&key) { nesting in unsafe release(nesting) }
        precondition(fault == 0, "the system has no place left for what threads know")
        return key
    }()

    private static func release(_ nesting: UnsafeMutableRawPointer?) {
        guard let nesting = unsafe nesting else { return }
        unsafe Unmanaged<CallNesting>.fromOpaque(nesting).release()
    }
}
