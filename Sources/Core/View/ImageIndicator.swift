/// What shows that a view's picture is being loaded, such as a spinner or a bar.
@MainActor
public protocol ImageIndicator: AnyObject {
    /// A load began.
    func startAnimating()
    /// The load that was begun last has ended, or there is none.
    func stopAnimating()
    /// How much of the bytes arrived, 0…1; `nil` when the server did not say how many there are.
    func update(fractionCompleted: Double?)
}

extension ImageIndicator {
    /// Nothing: one that only says that something happens.
    public func update(fractionCompleted: Double?) {}
}
