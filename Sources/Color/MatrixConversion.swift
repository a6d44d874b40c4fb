import CWebImageLCMS

/// The way of most profiles (three curves and a matrix) to sRGB in whole numbers: the same within one step of 255 as
/// Little CMS, several times as fast.
struct MatrixConversion: Sendable {
    /// What each sample of a channel adds to red, green and blue light: 2^28 is full light.
    private let red: [SIMD4<Int32>]
    private let green: [SIMD4<Int32>]
    private let blue: [SIMD4<Int32>]
    private static let fullLight = 1 << 14
    private static let shift: Int32 = 14

    /// Light from 0 to `fullLight` as sRGB samples.
    private static let samples: [UInt8] = {
        guard let power = ToneCurve(exponent: 1 / 2.4) else { return [UInt8](repeating: 0, count: fullLight + 1) }
        return (0...fullLight).map { light in
            let linear = Float(light) / Float(fullLight)
            let raised = unsafe cmsEvalToneCurveFloat(power.handle, linear)
            let encoded = linear <= 0.003_130_8 ? 12.92 * linear : 1.055 * raised - 0.055
            return UInt8((encoded * 255).rounded())
        }
    }()

    /// `nil` for a profile that is more than curves and a matrix, or whose numbers leave the range.
    init?(from source: cmsHPROFILE, to target: cmsHPROFILE) {
        guard unsafe Self.isPlain(source), let columns = unsafe Self.colorants(of: source),
            let inverse = unsafe Self.colorants(of: target).flatMap(Self.inverse)
        else { return nil }
        let matrix = columns.map { column in Self.product(inverse, column) }
        let isInRange = matrix.allSatisfy { column in [column.x, column.y, column.z].allSatisfy { abs($0) < 2.5 } }
        guard isInRange, let light = unsafe Self.light(of: source) else { return nil }
        let tables = zip(matrix, light).map { column, levels in
            levels.map { level in
                let scaled = column * level * Double(Self.fullLight << Int(Self.shift))
                return SIMD4(Int32(scaled.x), Int32(scaled.y), Int32(scaled.z), 0)
            }
        }
        // Half of a step, so that the shift rounds.
        let half = SIMD4<Int32>(repeating: 1 << (Self.shift - 1))
        (red, green, blue) = (tables[0].map { $0 &+ half }, tables[1], tables[2])
    }

    /// Converts whole RGBA pixels; alpha stays.
    func apply(_ row: UnsafeMutableRawBufferPointer) {
        let ceiling = SIMD4<Int32>(repeating: Int32(Self.fullLight))
        unsafe red.withUnsafeBufferPointer { red in
            unsafe green.withUnsafeBufferPointer { green in
                unsafe blue.withUnsafeBufferPointer { blue in
                    unsafe Self.samples.withUnsafeBufferPointer { samples in
                        for offset in stride(from: 0, to: row.count, by: 4) {
                            let sum =
                                unsafe red[Int(row[offset])] &+ green[Int(row[offset + 1])]
                                &+ blue[Int(row[offset + 2])]
                            let light = (sum &>> Self.shift).clamped(lowerBound: .zero, upperBound: ceiling)
                            unsafe row[offset] = samples[Int(light.x)]
                            unsafe row[offset + 1] = samples[Int(light.y)]
                            unsafe row[offset + 2] = samples[Int(light.z)]
                        }
                    }
                }
            }
        }
    }

    // MARK: Profiles

    private static let channels = [
        (cmsSigRedColorantTag, cmsSigRedTRCTag), (cmsSigGreenColorantTag, cmsSigGreenTRCTag),
        (cmsSigBlueColorantTag, cmsSigBlueTRCTag),
    ]

    private static func isPlain(_ profile: cmsHPROFILE) -> Bool {
        let tables = [cmsSigAToB0Tag, cmsSigAToB1Tag, cmsSigDToB0Tag, cmsSigDToB1Tag]
        return unsafe cmsIsMatrixShaper(profile) != 0 && cmsGetPCS(profile) == cmsSigXYZData
            && tables.allSatisfy { unsafe cmsIsTag(profile, $0) == 0 }
    }

    private static func colorants(of profile: cmsHPROFILE) -> [SIMD3<Double>]? {
        let columns = channels.compactMap { tag, _ -> SIMD3<Double>? in
            guard let color = unsafe cmsReadTag(profile, tag)?.assumingMemoryBound(to: cmsCIEXYZ.self) else {
                return nil
            }
            return unsafe SIMD3(color.pointee.X, color.pointee.Y, color.pointee.Z)
        }
        return columns.count == 3 ? columns : nil
    }

    /// The light of each sample of each channel; `nil` where black is not dark, which needs more than this.
    private static func light(of profile: cmsHPROFILE) -> [[Double]]? {
        let levels = channels.compactMap { _, tag -> [Double]? in
            guard let curve = unsafe cmsReadTag(profile, tag) else { return nil }
            return (0...255).map { unsafe Double(cmsEvalToneCurveFloat(OpaquePointer(curve), Float($0) / 255)) }
        }
        let isUsable = levels.allSatisfy { levels in
            levels[0] < 0.0005 && levels.allSatisfy { $0.isFinite && $0 >= 0 && $0 <= 1 }
        }
        return levels.count == 3 && isUsable ? levels : nil
    }

    private static func product(_ rows: [SIMD3<Double>], _ column: SIMD3<Double>) -> SIMD3<Double> {
        SIMD3((rows[0] * column).sum(), (rows[1] * column).sum(), (rows[2] * column).sum())
    }

    /// The rows of the inverse of a matrix given by its columns.
    private static func inverse(_ columns: [SIMD3<Double>]) -> [SIMD3<Double>]? {
        func cross(_ a: SIMD3<Double>, _ b: SIMD3<Double>) -> SIMD3<Double> {
            SIMD3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)
        }
        let rows = [cross(columns[1], columns[2]), cross(columns[2], columns[0]), cross(columns[0], columns[1])]
        let determinant = (columns[0] * rows[0]).sum()
        return abs(determinant) > 1e-9 ? rows.map { $0 / determinant } : nil
    }
}
