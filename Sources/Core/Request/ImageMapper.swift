/// Turns values of a model into requests, so that a program loads the picture of a product or a person by naming it.
public struct ImageMapper: Sendable {
    private let map: @Sendable (Any) -> ImageRequest?

    /// A mapper for one type of value; `nil` leaves the value to the mappers before this one.
    public init<Model>(_ map: @escaping @Sendable (Model) -> ImageRequest?) {
        self.map = { value in (value as? Model).flatMap(map) }
    }

    func request(for value: Any) -> ImageRequest? { map(value) }
}
