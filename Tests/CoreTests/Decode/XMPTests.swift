import Foundation
import Testing
import WebImageCore

@Suite struct XMPTests {
    static let packet = """
        <?xpacket begin="\u{FEFF}" id="W5M0MpCehiHzreSzNTczkc9d"?>
        <!-- <exif:GPSLatitude> in a comment -->
        <x:xmpmeta xmlns:x="adobe:ns:meta/">
         <r:RDF xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
          <r:Description r:about="" xmlns:e="http://ns.adobe.com/exif/1.0/" xmlns:xmp="http://ns.adobe.com/xap/1.0/"
             xmlns:tiff="http://ns.adobe.com/tiff/1.0/" xmlns:p="http://ns.adobe.com/photoshop/1.0/"
             e:GPSLatitude="48,30.5N" xmp:Rating='4' tiff:Orientation="6" p:City="Graz" xmp:Label="a &lt;b&gt; &#65;">
           <dc:title xmlns:dc="http://purl.org/dc/elements/1.1/"><r:Alt>
             <r:li xml:lang="de">Haus</r:li><r:li xml:lang="x-default">House</r:li></r:Alt></dc:title>
           <dc:subject xmlns:dc="http://purl.org/dc/elements/1.1/"><r:Bag><r:li>one</r:li><r:li>two &amp; three</r:li>
             </r:Bag></dc:subject>
           <e:GPSLongitude>11,0E</e:GPSLongitude><e:ISOSpeedRatings><r:Seq><r:li>100</r:li></r:Seq></e:ISOSpeedRatings>
           <ext:LocationCreated xmlns:ext="http://iptc.org/std/Iptc4xmpExt/2008-02-29/"><r:Bag>
             <r:li r:parseType="Resource"><ext:City>Graz</ext:City></r:li></r:Bag></ext:LocationCreated>
           <xmp:Nested r:parseType="Resource"><e:GPSAltitude>5</e:GPSAltitude><xmp:Kept>yes</xmp:Kept></xmp:Nested>
           <xmp:CreatorTool><![CDATA[x < y]]></xmp:CreatorTool>
          </r:Description>
         </r:RDF>
        </x:xmpmeta>
        <?xpacket end="w"?>
        """

    private func filtered(_ packet: Data, _ policy: MetadataPolicy) -> Data? {
        var metadata = ImageMetadata()
        metadata.xmp = packet
        return metadata.filtered(by: policy).xmp
    }

    @Test func properties() throws {
        let properties = try #require(XMPProperties(Data(Self.packet.utf8)))
        #expect(properties.title == "House")
        #expect(properties.keywords == ["one", "two & three"])
        #expect(properties.rating == 4)
        #expect(properties[.exif, "GPSLatitude"] == ["48,30.5N"])
        #expect(properties[.exif, "GPSLongitude"] == ["11,0E"])
        #expect(properties[.exif, "ISOSpeedRatings"] == ["100"])
        #expect(properties[.xmp, "Label"] == ["a <b> A"])
        #expect(properties[.xmp, "CreatorTool"] == ["x < y"])
        #expect(properties[.xmp, "Nested"] == [])
        #expect(properties.rights == nil)
    }

    @Test func withoutLocation() throws {
        let kept = try #require(filtered(Data(Self.packet.utf8), .allWithoutLocation))
        let text = String(decoding: kept, as: UTF8.self)
        #expect(!text.contains("48,30.5N"))
        #expect(!text.contains("11,0E"))
        #expect(!text.contains("Graz"))
        #expect(!text.contains("GPSAltitude"))
        #expect(!text.contains("Orientation"))
        #expect(text.contains("<xmp:Kept>yes</xmp:Kept>"))
        let properties = try #require(XMPProperties(kept))
        #expect(properties.title == "House")
        #expect(properties.rating == 4)
        #expect(properties[.exif, "ISOSpeedRatings"] == ["100"])
        #expect(properties[.tiff, "Orientation"] == [])
    }

    @Test func everything() throws {
        let kept = try #require(filtered(Data(Self.packet.utf8), .all))
        #expect(String(decoding: kept, as: UTF8.self) == Self.packet.replacing(" tiff:Orientation=\"6\"", with: ""))
        // What cannot be read is only handed on where nothing is to be taken out of it.
        #expect(filtered(Data("<broken".utf8), .all) == Data("<broken".utf8))
        #expect(filtered(Data("<broken".utf8), .allWithoutLocation) == nil)
    }

    @Test(arguments: [
        "", "<", "<a", "<a b", "<a b=", "<a b=>", "<a b='>", "<a></b>", "<a/><b/>", "text", "<a>&what;</a>",
        "<a>&#xD800;</a>", "<a>&#99999999999;</a>", "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>", "<a b='<'/>",
        "<a><![CDATA[</a>", "<!-- <a/>", "<a b='1'c='2'/>", "<1 2 3>", "<a></a", "</a>",
    ])
    func malformed(_ text: String) {
        #expect(XMPProperties(Data(text.utf8)) == nil)
        #expect(filtered(Data(text.utf8), .allWithoutLocation) == nil)
    }

    @Test func bombs() {
        let deep = String(repeating: "<a>", count: 100_000)
        #expect(XMPProperties(Data(deep.utf8)) == nil)
        let named = "<a " + (0..<20_000).map { "xmlns:n\($0)='u' " }.joined() + "/>"
        #expect(XMPProperties(Data(named.utf8)) == nil)
        let long = "<a>" + String(repeating: "x", count: 1 << 20) + "</a>"
        #expect(XMPProperties(Data(long.utf8)) == nil)
        #expect(XMPProperties(Data([0xFF, 0xFE, 0x3C, 0x00])) == nil)
    }

    @Test func damagedPackets() {
        let bytes = Data(Self.packet.utf8)
        for count in stride(from: 0, to: bytes.count, by: 3) {
            _ = XMPProperties(bytes.prefix(count))
        }
        for place in stride(from: 0, to: bytes.count, by: 3) {
            var broken = bytes
            broken[place] ^= 0x1F
            let kept = filtered(broken, .all)
            #expect(kept != nil)
            _ = filtered(broken, .allWithoutLocation)
        }
    }
}
