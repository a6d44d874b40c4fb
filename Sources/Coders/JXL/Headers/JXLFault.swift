/// Why a header cannot be read. Where it stands is for the reader of files to say.
enum JXLFault: Error {
    /// The bytes end in it; more may come.
    case cut
    /// It breaks a rule of the format.
    case damaged(String)
    /// It asks for more than may be.
    case excessive(String)
}
