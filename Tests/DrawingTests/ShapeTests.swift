import Testing
import WebImageCore
import WebImageDrawing
import WebImagePixels

@Suite("Shapes")
struct ShapeTests {
    @Test("A rectangle covers its pixels, and parts of pixels in proportion")
    func rectangles() throws {
        let image = try render(10, 10) { $0.fill(Path(rect(2, 3, 4.5, 2)), with: .color(red)) }
        #expect(image.ink == PixelRect(x: 2, y: 3, width: 5, height: 2))
        #expect(image.color(5, 4) == red && image.color(6, 4)?.isClose(to: PixelColor(255, 0, 0, 128)) == true)
    }

    @Test("Ellipses, round corners and arcs have the area of the formula, and their corners are free")
    func curves() throws {
        let ellipse = try render(60, 40) { $0.fill(Path(ellipseIn: rect(5, 5, 50, 30)), with: .color(red)) }
        #expect(abs(ellipse.coverage - .pi * 25 * 15) < 3 && ellipse.color(5, 5) == .clear)
        #expect(ellipse.color(30, 5)?.alpha ?? 0 > 128 && ellipse.color(30, 4) == .clear)
        let round = try render(60, 40) {
            $0.fill(Path(roundedRect: rect(5, 5, 50, 30), cornerRadius: 10), with: .color(red))
        }
        #expect(abs(round.coverage - (1500 - 100 * (4 - .pi))) < 2 && round.color(5, 5) == .clear)
        let one = try render(60, 40) {
            let path = Path(roundedRect: rect(5, 5, 50, 30), cornerRadius: 1e9, corners: .bottomLeft)
            $0.fill(path, with: .color(red))
        }
        #expect(abs(one.coverage - (1500 - 225 * (1 - .pi / 4))) < 2)
        #expect(one.color(5, 34) == .clear && one.color(5, 5) == red && one.color(54, 34) == red)
        let quarter = try render(60, 60) { context in
            var pie = Path()
            pie.move(to: ImagePoint(30, 30))
            pie.addArc(center: ImagePoint(30, 30), radius: 20, from: 0, to: .pi / 2)
            context.fill(pie, with: .color(red))
        }
        #expect(abs(quarter.coverage - .pi * 100) < 1 && quarter.ink == PixelRect(x: 30, y: 30, width: 20, height: 20))
    }

    @Test("An arc goes the way it is told, and a whole turn is a circle")
    func arcs() throws {
        func area(_ from: Double, _ to: Double, _ direction: Path.Direction) throws -> Double {
            try render(50, 50) { context in
                var path = Path()
                path.move(to: ImagePoint(25, 25))
                path.addArc(center: ImagePoint(25, 25), radius: 20, from: from, to: to, direction: direction)
                context.fill(path, with: .color(red))
            }.coverage / (.pi * 400)
        }
        #expect(abs(try area(0, .pi / 2, .clockwise) - 0.25) < 0.01)
        #expect(abs(try area(0, .pi / 2, .counterclockwise) - 0.75) < 0.01)
        #expect(abs(try area(.pi / 2, 0, .clockwise) - 0.75) < 0.01)
        #expect(abs(try area(1, 1 + 2 * .pi, .clockwise) - 1) < 0.01)
        #expect(abs(try area(1, 100, .counterclockwise) - 1) < 0.01)
        #expect(try area(1, 1, .clockwise) == 0)
    }

    @Test("The fill rule decides on holes")
    func holes() throws {
        var path = Path(rect(0, 0, 10, 10))
        path.addPath(Path(rect(3, 3, 4, 4)))
        let hole = try render(10, 10) { $0.fill(path, with: .color(red), rule: .evenOdd) }
        let none = try render(10, 10) { $0.fill(path, with: .color(red)) }
        #expect(hole.color(5, 5) == .clear && hole.color(1, 1) == red && none.color(5, 5) == red)
    }

    @Test("A curve without control is a line, and a quadratic one is that of its formula")
    func bezier() throws {
        let image = try render(40, 40) { context in
            var path = Path()
            path.move(to: ImagePoint(0, 0))
            path.addQuadCurve(to: ImagePoint(40, 0), control: ImagePoint(20, 40))
            context.fill(path, with: .color(red))
        }
        // Two thirds of the triangle's area, up to half its height.
        #expect(abs(image.coverage - 800 * 2 / 3) < 5 && image.ink?.height == 20, "\(image.coverage)")
    }

    @Test("A line has its width on both sides, and ends as its cap says")
    func lines() throws {
        let line = Path(from: ImagePoint(10, 10), to: ImagePoint(20, 10))
        func ink(_ cap: LineCap) throws -> PixelRect? {
            try render(30, 20) {
                $0.stroke(line, with: .color(red), style: StrokeStyle(lineWidth: 4, lineCap: cap))
            }.ink
        }
        #expect(try ink(.butt) == PixelRect(x: 10, y: 8, width: 10, height: 4))
        #expect(try ink(.square) == PixelRect(x: 8, y: 8, width: 14, height: 4))
        #expect(try ink(.round) == PixelRect(x: 8, y: 8, width: 14, height: 4))
    }

    @Test("A corner is mitred, round or bevelled, and never beyond the miter limit")
    func joins() throws {
        var corner = Path()
        for point in [ImagePoint(5, 25), ImagePoint(25, 25), ImagePoint(25, 5)] { corner.addLine(to: point) }
        func color(_ join: LineJoin, miterLimit: Double = 10) throws -> PixelColor? {
            var style = StrokeStyle(lineWidth: 10, lineJoin: join)
            style.miterLimit = miterLimit
            return try render(40, 40) { $0.stroke(corner, with: .color(red), style: style) }.color(29, 29)
        }
        #expect(try color(.miter) == red && color(.round) == .clear && color(.bevel) == .clear)
        #expect(try color(.miter, miterLimit: 1) == .clear && color(.miter, miterLimit: -5) == .clear)
    }

    @Test("Dashes and gaps alternate from the phase on, and dashes of nothing are a solid line")
    func dashes() throws {
        func row(_ dash: [Double], phase: Double = 0) throws -> String {
            let style = StrokeStyle(lineWidth: 2, dash: dash, dashPhase: phase)
            let image = try render(12, 2) {
                $0.stroke(Path(from: ImagePoint(0, 1), to: ImagePoint(12, 1)), with: .color(red), style: style)
            }
            return String((0..<12).map { image.color($0, 0) == red ? "#" : "." })
        }
        #expect(try row([3, 1]) == "###.###.###." && row([2]) == "##..##..##..")
        #expect(try row([3, 1], phase: 2) == "#.###.###.##" && row([0, 0]) == "############" && row([]) == row([0]))
    }

    @Test("Clips meet, and end with what was saved")
    func clips() throws {
        let image = try render(20, 20) { context in
            context.saved {
                context.clip(to: Path(rect(2, 2, 10, 10)))
                context.saved {
                    context.clip(to: Path(ellipseIn: rect(7, 7, 10, 10)))
                    context.fill(Path(context.bounds), with: .color(red))
                }
                context.fill(Path(rect(0, 0, 4, 4)), with: .color(blue))
            }
            context.fill(Path(rect(19, 19, 1, 1)), with: .color(blue))
        }
        #expect(image.color(10, 10) == red && image.color(7, 7) == .clear && image.color(13, 12) == .clear)
        #expect(image.color(3, 3) == blue && image.color(1, 1) == .clear && image.color(19, 19) == blue)
        let hidden = try render(5, 5) { context in
            context.clip(to: Path())
            context.fill(Path(context.bounds), with: .color(red))
        }
        #expect(hidden.ink == nil)
    }

    @Test("Moving, enlarging and turning work in the order they are called in; a quarter turn is exact")
    func transformations() throws {
        let image = try render(20, 20) { context in
            context.saved {
                context.translateBy(x: 10, y: 10)
                context.rotate(by: .pi / 2)
                context.scaleBy(x: 2, y: 1)
                context.fill(Path(rect(1, 1, 3, 2)), with: .color(red))
            }
            context.fill(Path(rect(0, 0, 1, 1)), with: .color(blue))
        }
        #expect(image.color(0, 0) == blue)
        for y in 0..<20 {
            for x in 0..<20 where x + y > 0 {
                #expect(image.color(x, y) == ((7..<9).contains(x) && (12..<18).contains(y) ? red : .clear))
            }
        }
        let turned = try render(40, 40) { context in
            context.translateBy(x: 20, y: 20)
            context.rotate(by: .pi / 4)
            context.fill(Path(rect(-10, -10, 20, 20)), with: .color(red))
        }
        #expect(abs(turned.coverage - 400) < 1 && turned.color(20, 7) == red && turned.color(11, 11) == .clear)
    }

    @Test("Shapes without area, and paths without lines, draw nothing")
    func nothing() throws {
        let image = try render(10, 10) { context in
            for shape in [rect(1, 1, 0, 5), rect(1, 1, 5, -3), rect(1, 1, -3, 5)] {
                context.fill(Path(shape), with: .color(red))
                context.fill(Path(ellipseIn: shape), with: .color(red))
                context.fill(Path(roundedRect: shape, cornerRadius: 3), with: .color(red))
                context.drawText("text", in: shape, style: TextStyle())
                context.clear(shape)
            }
            let line = Path(from: ImagePoint(0, 5), to: ImagePoint(10, 5))
            context.fill(line, with: .color(red))
            context.stroke(line, with: .color(red), style: StrokeStyle(lineWidth: 0))
            context.stroke(line, with: .color(red), style: StrokeStyle(lineWidth: -4))
            context.stroke(Path(), with: .color(red))
        }
        #expect(image.ink == nil)
    }

    @Test("Numbers that cannot be drawn are one error", arguments: [Double.nan, .infinity, -.infinity, 1e300, 1e8])
    func badNumbers(_ number: Double) {
        let line = Path(from: ImagePoint(0, 5), to: ImagePoint(10, 5))
        expectFailure { $0.fill(Path(rect(number, 0, 5, 5)), with: .color(red)) }
        expectFailure { $0.fill(Path(ellipseIn: rect(0, number, 5, 5)), with: .color(red)) }
        expectFailure { $0.stroke(Path(from: ImagePoint(0, 0), to: ImagePoint(number, 1)), with: .color(red)) }
        expectFailure { context in
            var path = Path()
            path.addArc(center: ImagePoint(5, 5), radius: number, from: 0, to: 1)
            context.fill(path, with: .color(red))
        }
        expectFailure { $0.clip(to: Path(rect(0, 0, number.magnitude, 5))) }
        expectFailure { $0.clear(rect(0, 0, number.magnitude, 5)) }
        expectFailure { $0.stroke(line, with: .color(red), style: StrokeStyle(lineWidth: number.magnitude)) }
        expectFailure { context in
            context.translateBy(x: number, y: 0)
            context.fill(Path(rect(0, 0, 5, 5)), with: .color(red))
        }
        expectFailure { context in
            context.scaleBy(x: number, y: 1)
            context.fill(Path(rect(0, 0, 5, 5)), with: .color(red))
        }
    }

    @Test("Angles and dashes that are no numbers, and scales that leave nothing, are one error")
    func badAngles() throws {
        let line = Path(from: ImagePoint(0, 5), to: ImagePoint(10, 5))
        for number in [Double.nan, .infinity] {
            expectFailure { $0.rotate(by: number) }
            expectFailure { context in
                var path = Path()
                path.addArc(center: ImagePoint(5, 5), radius: 2, from: 0, to: number)
                context.fill(path, with: .color(red))
            }
            expectFailure { $0.stroke(line, with: .color(red), style: StrokeStyle(dash: [number])) }
            expectFailure { $0.stroke(line, with: .color(red), style: StrokeStyle(dash: [1], dashPhase: number)) }
        }
        expectFailure { $0.stroke(line, with: .color(red), style: StrokeStyle(dash: [3, -1])) }
        expectFailure { $0.scaleBy(x: 0, y: 1) }
        expectFailure { context in for _ in 0..<100 { context.scaleBy(x: 1e-9, y: 1e-9) } }
        expectFailure { context in for _ in 0..<100 { context.scaleBy(x: 1e9, y: 1e9) } }
        _ = try render(5, 5) { $0.rotate(by: 1e300) }
    }

    @Test("Dashes without end are refused before they are drawn")
    func endlessDashes() {
        let long = Path(from: ImagePoint(-4e6, 5), to: ImagePoint(4e6, 5))
        expectFailure { $0.stroke(long, with: .color(red), style: StrokeStyle(dash: [0.2])) }
        let many = [Double](repeating: 1, count: 1_001)
        expectFailure { $0.stroke(Path($0.bounds), with: .color(red), style: StrokeStyle(dash: many)) }
    }
}
