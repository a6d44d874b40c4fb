/// Which addresses a download may connect to.
///
/// The address is checked that the connection is really made to, for a connection that is used again too, and for each
/// redirect anew: a name that means another address a moment later gains nothing.
///
/// A proxy connects by itself, out of sight: under any policy but `any` the environment's proxies are not used, and a
/// proxy of the configuration must do the guarding itself; only an address spelled out in the URL, in whatever way C
/// libraries read one, is still checked. Hosts that are its exceptions are reached straight, and so are guarded.
public struct AddressPolicy: Sendable, Hashable {
    private let isOpen: Bool
    private var exceptions: Set<IPAddress> = []

    private init(isOpen: Bool) {
        self.isOpen = isOpen
    }

    /// All addresses: for programs that ask for what their own user or code names.
    public static let any = AddressPolicy(isOpen: true)

    /// Only addresses with `IPAddress.isPublic`: for servers that fetch what strangers name.
    public static let publicInternetOnly = AddressPolicy(isOpen: false)

    /// The policy with exceptions, such as a picture server within.
    public func allowing(_ addresses: [IPAddress]) -> AddressPolicy {
        var policy = self
        policy.exceptions.formUnion(addresses)
        return policy
    }

    /// Whether every address is allowed, so that nothing need be checked.
    public var allowsAll: Bool { isOpen }

    /// Whether a connection to the address is allowed.
    public func allows(_ address: IPAddress) -> Bool {
        isOpen || address.isPublic || exceptions.contains(address)
    }
}
