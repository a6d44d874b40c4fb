/// The vertical half of the resampler: groups of narrowed rows become target rows.
///
/// Where the picture gets smaller, each group is added at once to the few target rows that it is part of. Where it gets
/// larger, it may be part of many: the last groups are kept, and each target row is added up when all of its are there.
struct ResamplingLines: Sendable {
    private let axis: ResamplingAxis
    private let isShrinking: Bool
    private let bytesPerGroup: Int
    private let sumCount: Int
    /// The sums of the target rows under way, each at its number modulo the slots.
    private var sums: [Int32]
    /// Groups of rows, each at its number modulo the slots; one where the picture gets smaller.
    private var groups: [Int32]
    private let slotCount: Int
    /// How many target rows are done.
    private(set) var emitted = 0

    init(_ axis: ResamplingAxis, isShrinking: Bool, bytesPerGroup: Int, sumCount: Int) {
        self.axis = axis
        self.isShrinking = isShrinking
        self.bytesPerGroup = bytesPerGroup
        self.sumCount = sumCount
        slotCount = isShrinking ? Self.targetsUnderWay(axis) : axis.stride / rowsPerGroup + 2
        sums = [Int32](repeating: 0, count: sumCount * (isShrinking ? slotCount : 1))
        groups = [Int32](repeating: 0, count: bytesPerGroup / 4 * (isShrinking ? 1 : slotCount))
    }

    /// The most target rows that one group, or the wait for it, keeps open.
    private static func targetsUnderWay(_ axis: ResamplingAxis) -> Int {
        var most = 1
        var next = 0
        for target in 0..<axis.targetCount {
            let groupEnd = (axis.end(target) - 1) / rowsPerGroup * rowsPerGroup + rowsPerGroup
            while next < axis.targetCount, Int(axis.starts[next]) < groupEnd { next += 1 }
            most = max(most, next - target)
        }
        return most
    }

    /// Takes the group that ends with row number `received` − 1, and makes the target rows that are complete with it.
    mutating func take(
        _ output: inout PixelBuffer, _ received: Int, _ kernels: any ResamplingKernels,
        fill: (UnsafeMutableRawBufferPointer) -> Void
    ) {
        let group = (received - 1) / rowsPerGroup
        let slot = isShrinking ? 0 : group % slotCount
        let bytesPerGroup = bytesPerGroup
        unsafe groups.withUnsafeMutableBytes { (bytes) -> Void in
            unsafe fill(bytes.part(slot, of: bytesPerGroup))
        }
        if isShrinking { add(group, to: emitted, kernels) }
        while emitted < axis.targetCount, axis.end(emitted) <= received {
            emit(to: &output, kernels)
        }
    }

    /// Adds a group to all target rows from one on.
    private mutating func add(_ group: Int, to first: Int, _ kernels: any ResamplingKernels) {
        var target = first
        while target < axis.targetCount, Int(axis.starts[target]) < (group + 1) * rowsPerGroup {
            add(group, in: 0, to: target, in: target % slotCount, kernels)
            target += 1
        }
    }

    private mutating func add(
        _ group: Int, in groupSlot: Int, to target: Int, in slot: Int, _ kernels: any ResamplingKernels
    ) {
        let weights = axis.weights(target, from: group * rowsPerGroup)
        guard weights != .zero else { return }
        let (bytesPerGroup, bytesPerSums) = (bytesPerGroup, sumCount * 4)
        unsafe groups.withUnsafeBytes { groups in
            unsafe sums.withUnsafeMutableBytes { sums in
                unsafe kernels.add(
                    groups.part(groupSlot, of: bytesPerGroup), weights, to: sums.part(slot, of: bytesPerSums))
            }
        }
    }

    private mutating func emit(to output: inout PixelBuffer, _ kernels: any ResamplingKernels) {
        let slot = isShrinking ? emitted % slotCount : 0
        if !isShrinking {
            for group in Int(axis.starts[emitted]) / rowsPerGroup...(axis.end(emitted) - 1) / rowsPerGroup {
                add(group, in: group % slotCount, to: emitted, in: slot, kernels)
            }
        }
        let (bytesPerSums, bytesPerRow, isOpaque) = (sumCount * 4, output.bytesPerRow, output.alpha == .opaque)
        unsafe sums.withUnsafeMutableBytes { (sums) -> Void in
            let sums = unsafe sums.part(slot, of: bytesPerSums)
            unsafe output.withUnsafeMutableBytes { (bytes) -> Void in
                unsafe kernels.round(
                    UnsafeRawBufferPointer(sums), to: bytes.part(emitted, of: bytesPerRow), isOpaque: isOpaque)
            }
            unsafe sums.initializeMemory(as: UInt8.self, repeating: 0)
        }
        emitted += 1
    }
}

extension UnsafeRawBufferPointer {
    fileprivate func part(_ index: Int, of byteCount: Int) -> UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(rebasing: self[index * byteCount..<(index + 1) * byteCount])
    }
}

extension UnsafeMutableRawBufferPointer {
    fileprivate func part(_ index: Int, of byteCount: Int) -> UnsafeMutableRawBufferPointer {
        unsafe UnsafeMutableRawBufferPointer(rebasing: self[index * byteCount..<(index + 1) * byteCount])
    }
}
