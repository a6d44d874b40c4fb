// `URL`, `Data` and `Date` under one name on every platform: Apple's systems have no separate Essentials module.
#if canImport(FoundationEssentials)
@_exported public import FoundationEssentials
#else
@_exported public import Foundation
#endif
