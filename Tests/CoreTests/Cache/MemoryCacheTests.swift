import Testing
import WebImageTesting

@testable import WebImageCore

@Suite struct MemoryCacheTests {
    private func cache(cost: Int = 0, count: Int = 0, weak: Bool = false) -> MemoryCache {
        var configuration = ImageCacheConfiguration()
        configuration.maxMemoryCost = cost
        configuration.maxMemoryCount = count
        configuration.usesWeakMemoryCache = weak
        return MemoryCache(configuration: configuration)
    }

    private func keys(_ names: String) -> [CacheKey] { names.map { CacheKey(String($0)) } }

    private func found(_ cache: MemoryCache, _ names: String) -> String {
        String(names.filter { cache.contains(CacheKey(String($0))) })
    }

    @Test func theSamePictureComesBack() {
        let (cache, image) = (cache(), cacheTestImage())
        cache.store(image, for: CacheKey("a"))
        #expect(cache.image(for: CacheKey("a")) === image)
        #expect(cache.image(for: CacheKey("b")) == nil)
        #expect(cache.totalCost == 64 && cache.count == 1)
    }

    @Test("of pictures used alike the first stay, what is used more goes on, and the newest is always found")
    func whatGoesFirst() {
        let cache = cache(count: 3)
        for key in keys("abc") { cache.store(cacheTestImage(), for: key) }
        _ = cache.image(for: CacheKey("a"))
        #expect(cache.contains(CacheKey("b")))
        cache.store(cacheTestImage(), for: CacheKey("d"))
        #expect(found(cache, "abcd") == "abd")
        for _ in 0..<3 { _ = cache.image(for: CacheKey("d")) }
        cache.store(cacheTestImage(), for: CacheKey("e"))
        #expect(found(cache, "abcde") == "ade")
    }

    @Test("a scan of a thousand pictures leaves those that are used")
    func scansPushNothingOut() {
        let cache = cache(cost: 100 * 64)
        let used = (0..<50).map { CacheKey("used \($0)") }
        for round in 0..<4 {
            for key in used where cache.image(for: key) == nil {
                #expect(round == 0)
                cache.store(cacheTestImage(), for: key)
            }
        }
        for index in 0..<1_000 { cache.store(cacheTestImage(), for: CacheKey("scan \(index)")) }
        // Not all: by chance a scanned one may share the counters of used ones.
        #expect(used.count { cache.contains($0) } > 45)
        #expect(cache.totalCost <= 100 * 64 && cache.contains(CacheKey("scan 999")))
    }

    @Test("what was popular long ago makes room")
    func popularityFades() {
        let cache = cache(count: 20)
        func use(_ name: String) {
            for index in 0..<15 where cache.image(for: CacheKey("\(name) \(index)")) == nil {
                cache.store(cacheTestImage(1, 1), for: CacheKey("\(name) \(index)"))
            }
        }
        for _ in 0..<100 { use("old") }
        for _ in 0..<400 { use("new") }
        #expect((0..<15).count { cache.contains(CacheKey("new \($0)")) } > 12)
    }

    @Test func theCostIsBounded() {
        let cache = cache(cost: 10)
        for key in keys("abc") { cache.store(cacheTestImage(), for: key, cost: 4) }
        #expect(found(cache, "abc") == "ac")
        #expect(cache.totalCost == 8)
        cache.store(cacheTestImage(), for: CacheKey("b"), cost: 9)
        #expect(found(cache, "abc") == "b")
        #expect(cache.totalCost == 9)
    }

    @Test func onePictureOverTheLimitPushesNothingOut() {
        let cache = cache(cost: 10, weak: true)
        cache.store(cacheTestImage(), for: CacheKey("a"), cost: 4)
        let large = cacheTestImage()
        cache.store(large, for: CacheKey("b"), cost: 11)
        #expect(cache.image(for: CacheKey("b")) === large)
        #expect(cache.image(for: CacheKey("a")) != nil)
        #expect(cache.totalCost == 4 && cache.count == 1)
    }

    @Test func onePictureHasALimitOfItsOwn() {
        var configuration = ImageCacheConfiguration()
        configuration.maxMemoryCost = 100
        configuration.maxMemoryCostPerImage = 20
        let cache = MemoryCache(configuration: configuration)
        cache.store(cacheTestImage(), for: CacheKey("a"), cost: 20)
        cache.store(cacheTestImage(), for: CacheKey("b"), cost: 21)
        #expect(found(cache, "ab") == "a")
        cache.imageCostLimit = 0
        cache.store(cacheTestImage(), for: CacheKey("b"), cost: 80)
        #expect(cache.totalCost == 100)
        configuration.maxMemoryCost = 90
        cache.apply(configuration)
        #expect(cache.imageCostLimit == 20 && cache.costLimit == 90 && cache.totalCost == 80)
    }

    @Test("a share is kept: the least used go, those in use are found", arguments: [0.5, 0, 1, -1, .nan, 7])
    func keepsAShare(share: Double) {
        let cache = cache(cost: 1_000, weak: true)
        let images = (0..<40).map { _ in cacheTestImage() }
        for (index, image) in images.enumerated() { cache.store(image, for: CacheKey("\(index)"), cost: 10) }
        for index in 0..<10 { _ = cache.image(for: CacheKey("\(index)")) }
        cache.keep(share: share)
        let left = share >= 1 ? 40 : share == 0.5 ? 20 : 0
        #expect(cache.count == left && cache.totalCost == left * 10)
        for (index, image) in images.enumerated() { #expect(cache.image(for: CacheKey("\(index)")) === image) }
    }

    @Test func nonsensicalCostsAreTamed() {
        let cache = cache()
        for key in keys("abcd") { cache.store(cacheTestImage(), for: key, cost: .max) }
        cache.store(cacheTestImage(), for: CacheKey("e"), cost: .min)
        #expect(cache.count == 5 && cache.totalCost > 0)
        cache.removeAll()
        #expect(cache.count == 0 && cache.totalCost == 0)
    }

    @Test("CA-46 limits follow changes; under pressure a picture in use is found with the weak layer, lost without")
    func CA_46_limitsAndPressure() {
        let cache = cache(weak: true)
        let kept = cacheTestImage()
        cache.store(kept, for: CacheKey("a"))
        cache.store(cacheTestImage(), for: CacheKey("b"))
        cache.dropStrongLayer()
        #expect(cache.count == 0 && cache.totalCost == 0)
        #expect(cache.image(for: CacheKey("a")) === kept)
        #expect(cache.count == 1 && cache.totalCost == kept.memoryCost)
        #expect(cache.image(for: CacheKey("b")) == nil)

        let plain = self.cache()
        plain.store(kept, for: CacheKey("a"))
        plain.dropStrongLayer()
        #expect(plain.image(for: CacheKey("a")) == nil)

        for key in keys("cdef") { cache.store(cacheTestImage(), for: key) }
        cache.countLimit = 2
        #expect(found(cache, "cdef") == "ef")
        cache.costLimit = 64
        #expect(found(cache, "cdef") == "f")
        #expect(cache.countLimit == 2 && cache.costLimit == 64)
    }

    @Test func removalForgetsPicturesInUseToo() {
        let (cache, image) = (cache(count: 1, weak: true), cacheTestImage())
        cache.store(image, for: CacheKey("a"))
        cache.remove(CacheKey("a"))
        #expect(cache.image(for: CacheKey("a")) == nil)
        cache.store(image, for: CacheKey("a"))
        cache.store(cacheTestImage(), for: CacheKey("b"))
        #expect(cache.contains(CacheKey("a")))
        cache.remove(CacheKey("a"))
        #expect(cache.image(for: CacheKey("a")) == nil)
        cache.store(image, for: CacheKey("a"))
        cache.removeAll()
        #expect(cache.image(for: CacheKey("a")) == nil)
        #expect(cache.count == 0 && cache.totalCost == 0)
    }

    @Test func droppedPicturesDie() {
        let cache = cache(count: 1, weak: true)
        weak var first: DecodedImage?
        do {
            let image = cacheTestImage()
            first = image
            cache.store(image, for: CacheKey("a"))
        }
        #expect(first != nil)
        cache.store(cacheTestImage(), for: CacheKey("b"))
        #expect(first == nil)
        #expect(cache.image(for: CacheKey("a")) == nil)
    }

    private func entries(cost: Int = 0, count: Int) -> MemoryEntries {
        MemoryEntries(index: MemoryIndex(), limits: MemoryLimits(cost: cost, count: count), findsEvicted: true)
    }

    @Test("what a call drops is handed out, so that it dies after unlocking")
    func droppedPicturesAreHandedOut() {
        var entries = entries(cost: 10, count: 2)
        let images = (0..<4).map { _ in cacheTestImage() }
        #expect(entries.insert(images[0], CacheKey("0"), cost: 1).isEmpty)
        #expect(entries.insert(images[1], CacheKey("1"), cost: 1).isEmpty)
        #expect(entries.insert(images[2], CacheKey("2"), cost: 1).map(ObjectIdentifier.init) == ids(images[1...1]))
        #expect(entries.insert(images[3], CacheKey("2"), cost: 1).map(ObjectIdentifier.init) == ids(images[2...2]))
        #expect(entries.revive(images[1], CacheKey("1")).map(ObjectIdentifier.init) == ids(images[0...0]))
        #expect(entries.insert(images[1], CacheKey("x"), cost: 11).map(ObjectIdentifier.init) == ids(images[1...1]))
        #expect(entries.remove(CacheKey("1")).map(ObjectIdentifier.init) == ids(images[1...1]))
        #expect(entries.keep(share: 0).map(ObjectIdentifier.init) == ids(images[3...3]))
        #expect(entries.removeAll().isEmpty && entries.index.count == 0)
    }

    private func ids(_ images: ArraySlice<DecodedImage>) -> [ObjectIdentifier] { images.map(ObjectIdentifier.init) }

    @Test func theDeadAreForgottenAndTheLivingAreNot() {
        var entries = entries(count: 2)
        let living = (0..<5).map { _ in cacheTestImage() }
        for (index, image) in living.enumerated() { _ = entries.insert(image, CacheKey("living \(index)"), cost: 1) }
        for index in 0..<10_000 { _ = entries.insert(cacheTestImage(1, 1), CacheKey("dead \(index)"), cost: 1) }
        #expect(entries.index.count < 200)
        for (index, image) in living.enumerated() {
            switch entries.index.find(CacheKey("living \(index)")) {
            case .held(let found), .alive(let found): #expect(found === image)
            case .dead, .missing: Issue.record("picture \(index) is alive and not found")
            }
        }
    }

    @Test("whatever is done, the sums are right, the limits are kept, and what is found is what was stored last")
    func aModelAgrees() {
        var generator = SeededGenerator(seed: 7)
        let cache = cache(cost: 20, count: 6)
        var model: [CacheKey: (image: DecodedImage, cost: Int)] = [:]
        let all = keys("abcdefghijkl")
        for _ in 0..<20_000 {
            let key = all.randomElement(using: &generator)!
            switch Int.random(in: 0..<8, using: &generator) {
            case 0:
                cache.remove(key)
                model[key] = nil
                #expect(!cache.contains(key))
            case 1...3:
                let (image, cost) = (cacheTestImage(1, 1), Int.random(in: 0...7, using: &generator))
                cache.store(image, for: key, cost: cost)
                model[key] = (image, cost)
                #expect(cache.contains(key))
            default:
                if let found = cache.image(for: key) { #expect(found === model[key]?.image) }
            }
            let held = model.filter { cache.contains($0.key) }
            #expect(cache.count == held.count && cache.totalCost == held.values.reduce(0) { $0 + $1.cost })
            #expect(cache.count <= 6 && cache.totalCost <= 20)
        }
    }

    @Test func manyThreadsAtOnce() {
        let cache = cache(count: 10, weak: true)
        onThreads(8) { thread in
            var generator = SeededGenerator(seed: UInt64(thread))
            var held: [DecodedImage] = []
            for _ in 0..<2_000 {
                let key = CacheKey("\(Int.random(in: 0..<40, using: &generator))")
                switch Int.random(in: 0..<10, using: &generator) {
                case 0: cache.remove(key)
                case 1: cache.dropStrongLayer()
                case 2...5: cache.store(cacheTestImage(1, 1), for: key)
                default: cache.image(for: key).map { held.append($0) }
                }
                if held.count > 8 { held.removeFirst(4) }
            }
        }
        #expect(cache.count <= 10)
        #expect(cache.totalCost == cache.count * 4)
    }
}
