import Testing

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

    @Test func theLeastRecentlyUsedGoesFirst() {
        let cache = cache(count: 3)
        for key in keys("abc") { cache.store(cacheTestImage(), for: key) }
        _ = cache.image(for: CacheKey("a"))
        #expect(cache.contains(CacheKey("b")))
        cache.store(cacheTestImage(), for: CacheKey("d"))
        #expect(found(cache, "abcd") == "acd")
        cache.store(cacheTestImage(), for: CacheKey("c"))
        cache.store(cacheTestImage(), for: CacheKey("e"))
        #expect(found(cache, "abcde") == "cde")
    }

    @Test func theCostIsBounded() {
        let cache = cache(cost: 10)
        for key in keys("abc") { cache.store(cacheTestImage(), for: key, cost: 4) }
        #expect(found(cache, "abc") == "bc")
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

    @Test("what a call drops is handed out, so that it dies after unlocking")
    func droppedPicturesAreHandedOut() {
        var entries = MemoryEntries(costLimit: 10, countLimit: 2, findsEvicted: true)
        let images = (0..<4).map { _ in cacheTestImage() }
        #expect(entries.insert(images[0], CacheKey("0"), cost: 1).isEmpty)
        #expect(entries.insert(images[1], CacheKey("1"), cost: 1).isEmpty)
        #expect(entries.insert(images[2], CacheKey("2"), cost: 1).map(ObjectIdentifier.init) == ids(images[0...0]))
        #expect(entries.insert(images[3], CacheKey("1"), cost: 1).map(ObjectIdentifier.init) == ids(images[1...1]))
        #expect(entries.find(CacheKey("0")).dropped.map(ObjectIdentifier.init) == ids(images[2...2]))
        #expect(entries.insert(images[1], CacheKey("x"), cost: 11).map(ObjectIdentifier.init) == ids(images[1...1]))
        #expect(entries.remove(CacheKey("0")) === images[0])
        #expect(entries.evictAll().map(ObjectIdentifier.init) == ids(images[3...3]))
        #expect(entries.removeAll().isEmpty)
    }

    private func ids(_ images: ArraySlice<DecodedImage>) -> [ObjectIdentifier] { images.map(ObjectIdentifier.init) }

    @Test func theDeadAreForgottenAndTheLivingAreNot() {
        var entries = MemoryEntries(costLimit: 0, countLimit: 2, findsEvicted: true)
        let living = (0..<5).map { _ in cacheTestImage() }
        for (index, image) in living.enumerated() { _ = entries.insert(image, CacheKey("living \(index)"), cost: 1) }
        for index in 0..<10_000 { _ = entries.insert(cacheTestImage(1, 1), CacheKey("dead \(index)"), cost: 1) }
        #expect(entries.placeCount < 200)
        for (index, image) in living.enumerated() { #expect(entries.peek(CacheKey("living \(index)")) === image) }
    }

    @Test func aModelAgrees() {
        var generator = SeededGenerator(state: 7)
        let cache = cache(cost: 20, count: 6)
        var model: [(key: CacheKey, image: DecodedImage, cost: Int)] = []
        let all = keys("abcdefghijkl")
        for _ in 0..<20_000 {
            let key = all.randomElement(using: &generator)!
            switch Int.random(in: 0..<8, using: &generator) {
            case 0:
                cache.remove(key)
                model.removeAll { $0.key == key }
            case 1...3:
                let (image, cost) = (cacheTestImage(1, 1), Int.random(in: 0...7, using: &generator))
                cache.store(image, for: key, cost: cost)
                model.removeAll { $0.key == key }
                model.append((key, image, cost))
                while model.count > 6 || model.reduce(0, { $0 + $1.cost }) > 20 { model.removeFirst() }
            default:
                let place = model.firstIndex { $0.key == key }
                #expect(cache.image(for: key) === place.map { model[$0].image })
                if let place { model.append(model.remove(at: place)) }
            }
            #expect(cache.count == model.count && cache.totalCost == model.reduce(0) { $0 + $1.cost })
        }
    }

    @Test func manyThreadsAtOnce() {
        let cache = cache(count: 10, weak: true)
        onThreads(8) { thread in
            var generator = SeededGenerator(state: UInt64(thread))
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
