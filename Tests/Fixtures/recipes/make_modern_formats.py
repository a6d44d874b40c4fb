"""Makes the files of Tests/Fixtures/modern: small AVIF, HEIC and JPEG XL pictures that are our own work.

    /usr/bin/python3 make_modern_formats.py OUTDIR

Needs Debian's python3-pil, libavif-bin, libheif-examples, libjxl-tools and libjxl-devtools. The tests need none of them.
"""

import os
import struct
import subprocess
import sys
import tempfile

from PIL import Image, ImageCms, ImageDraw, ImageFont

CORNERS = ((255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 255))


def quarters(width, height, turn=0):
    """Red, green / blue, white; each turn moves every colour one corner on."""
    picture = Image.new("RGB", (width, height))
    for corner in range(4):
        left, top = corner % 2 * width // 2, corner // 2 * height // 2
        picture.paste(CORNERS[(corner + turn) % 4], (left, top, left + width // 2, top + height // 2))
    return picture


def faded(width, height):
    """The same, transparent in its top left corner and half transparent in its bottom right."""
    picture = quarters(width, height).convert("RGBA")
    alpha = Image.new("L", (width, height), 255)
    alpha.paste(0, (0, 0, width // 4, height // 4))
    alpha.paste(128, (width // 2, height // 2, width, height))
    picture.putalpha(alpha)
    return picture


def waves(width, height):
    picture = Image.new("RGB", (width, height))
    picture.putdata([(x * 255 // width, y * 255 // height, (x * x + y * y) // 97 % 256)
                     for y in range(height) for x in range(width)])
    return picture


def exif(orientation):
    """One TIFF directory with one tag."""
    return b"II*\0" + struct.pack("<IHHHIHHI", 8, 1, 0x0112, 3, 1, orientation, 0, 0)


XMP = (b'<x:xmpmeta xmlns:x="adobe:ns:meta/">'
       b'<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"/></x:xmpmeta>')


def boxes(data, start, end):
    while start + 8 <= end:
        size, name = struct.unpack_from(">I4s", data, start)
        yield name, start, start + size
        start += size


def find(data, *path):
    start, end = 0, len(data)
    for name in path:
        start, end = next((s, e) for n, s, e in boxes(data, start, end) if n == name)
        start += 8
    return start - 8, end


def places_of_offsets(data):
    """Where the file says where pixels are: the chunks of its tracks, the extents of its still pictures."""
    movie = find(data, b"moov")
    for name, start, end in boxes(data, movie[0] + 8, movie[1]):
        if name == b"trak":
            track = data[start:end]
            chunks = find(track, b"trak", b"mdia", b"minf", b"stbl", b"stco")[0]
            for entry in range(struct.unpack_from(">I", track, chunks + 12)[0]):
                yield start + chunks + 16 + entry * 4
    meta = find(data, b"meta")
    place = next(s for n, s, e in boxes(data, meta[0] + 12, meta[1]) if n == b"iloc") + 14
    for item in range(struct.unpack_from(">H", data, place)[0]):
        extents = struct.unpack_from(">H", data, place + 6)[0]
        yield from (place + 8 + extent * 8 for extent in range(extents))
        place += 6 + extents * 8


def with_edit_list(data, flags, segment, total):
    """The sequence with an edit list in its first track. The pixels stand before or behind it: offsets are moved."""
    track = find(data, b"moov", b"trak")
    edit = struct.pack(">I4sI4sIIQQHH", 44, b"edts", 36, b"elst", 1 << 24 | flags, 1, segment, 0, 1, 0)
    at = track[1]
    out = bytearray(data)
    header = find(data, b"moov", b"trak", b"tkhd")[0]
    if data[header + 8] == 1:
        struct.pack_into(">Q", out, header + 8 + 28, total)
    else:
        struct.pack_into(">I", out, header + 8 + 20, total & 0xFFFFFFFF)
    for place in (track, find(data, b"moov")):
        struct.pack_into(">I", out, place[0], place[1] - place[0] + len(edit))
    for place in places_of_offsets(data):
        offset = struct.unpack_from(">I", data, place)[0]
        struct.pack_into(">I", out, place, offset + (len(edit) if offset >= at else 0))
    return bytes(out[:at]) + edit + bytes(out[at:])


def with_alpha_by_cell(data):
    """A grid of two cells whose alpha is no grid of its own but belongs to each cell."""
    meta = find(data, b"meta")
    start, end = next((s, e) for n, s, e in boxes(data, meta[0] + 12, meta[1]) if n == b"iref")
    color, alpha = [struct.unpack_from(">HHHH", data, s + 8)
                    for n, s, e in boxes(data, start + 12, end) if n == b"dimg"]
    # The second names its cell twice, to take the room that there is.
    first = struct.pack(">I4sHHH", 14, b"auxl", alpha[2], 1, color[2])
    second = struct.pack(">I4sHHHH", 16, b"auxl", alpha[3], 2, color[3], color[3])
    kept = data[start:start + 12 + 16]
    assert len(kept + first + second) == end - start
    return data[:start] + kept + first + second + data[end:]


def run(*arguments):
    subprocess.run(arguments, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def make_avif(out, work):
    lossless = ["--min", "0", "--max", "0", "--minalpha", "0", "--maxalpha", "0", "-s", "6", "-y", "444"]
    for turn in range(4):
        quarters(32, 24, turn).save(f"{work}/{turn}.png")
    frames = []
    for turn, ticks in ((0, 3), (1, 6), (2, 1), (3, 0)):
        frames += ["--duration", str(max(1, ticks)), f"{work}/{turn}.png"]
    run("avifenc", *lossless, "--timescale", "30", *frames, f"{work}/sequence.avif")
    with open(f"{work}/sequence.avif", "rb") as file:
        data = file.read()
    for name, flags, segment, total in (
            ("sequence.avif", None, 0, 0), ("sequence_once.avif", 0, 11, 11), ("sequence_three.avif", 1, 11, 30),
            ("sequence_forever.avif", 1, 11, 0xFFFFFFFFFFFFFFFF)):
        with open(f"{out}/{name}", "wb") as file:
            file.write(data if flags is None else with_edit_list(data, flags, segment, total))
    faded(32, 24).save(f"{work}/faded.png")
    run("avifenc", *lossless, f"{work}/faded.png", f"{out}/faded.avif")
    run("avifenc", *lossless, "-p", f"{work}/faded.png", f"{out}/faded_premultiplied.avif")
    quarters(64, 48).save(f"{work}/quarters.png")
    run("avifenc", *lossless, "-d", "10", f"{work}/quarters.png", f"{out}/ten_bit.avif")
    run("avifenc", *lossless, "--crop", "16,8,32,24", "--irot", "1", "--imir", "1", f"{work}/quarters.png",
        f"{out}/cropped_turned.avif")
    quarters(128, 64).save(f"{work}/wide.png")
    run("avifenc", *lossless, "-g", "2x1", f"{work}/wide.png", f"{out}/grid.avif")
    faded(128, 64).save(f"{work}/wide.png")
    run("avifenc", *lossless, "-g", "2x1", f"{work}/wide.png", f"{work}/cells.avif")
    with open(f"{work}/cells.avif", "rb") as file, open(f"{out}/alpha_by_cell.avif", "wb") as result:
        result.write(with_alpha_by_cell(file.read()))
    for name, content in (("exif", exif(6)), ("xmp", XMP),
                          ("icc", ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes())):
        with open(f"{work}/{name}", "wb") as file:
            file.write(content)
    run("avifenc", *lossless, "--exif", f"{work}/exif", "--xmp", f"{work}/xmp", "--icc", f"{work}/icc",
        f"{work}/0.png", f"{out}/metadata.avif")


def make_heic(out, work):
    quarters(64, 48).save(f"{work}/quarters.png")
    run("heif-enc", "-L", "-p", "chroma=444", "--matrix_coefficients=0", f"{work}/quarters.png", "-o",
        f"{out}/quarters.heic")
    run("heif-enc", "-q", "90", f"{work}/quarters.png", "-o", f"{out}/lossy.heic")
    faded(64, 48).save(f"{work}/faded.png")
    run("heif-enc", "-L", "-p", "chroma=444", "--matrix_coefficients=0", f"{work}/faded.png", "-o",
        f"{out}/faded.heic")
    run("heif-enc", "-q", "90", "--premultiplied-alpha", f"{work}/faded.png", "-o", f"{out}/premultiplied.heic")
    quarters(64, 48).save(f"{work}/turned.jpg", quality=95, subsampling=0, exif=b"Exif\0\0" + exif(6))
    run("heif-enc", "-q", "90", f"{work}/turned.jpg", "-o", f"{out}/metadata.heic")
    quarters(32, 64, 1).save(f"{work}/second.png")
    run("heif-enc", "-q", "90", f"{work}/quarters.png", f"{work}/second.png", "-o", f"{out}/two.heic")


def make_jxl(out, work):
    quarters(64, 48).save(f"{work}/quarters.png")
    run("cjxl", "-d", "0", f"{work}/quarters.png", f"{out}/quarters.jxl")
    faded(64, 48).save(f"{work}/faded.png")
    run("cjxl", "-d", "0", f"{work}/faded.png", f"{out}/faded.jxl")
    run("cjxl", "-d", "0.1", "--premultiply=1", f"{work}/faded.png", f"{out}/premultiplied.jxl")
    waves(300, 280).save(f"{work}/waves.png")
    run("cjxl", "-d", "3", "-p", "--progressive_dc=1", f"{work}/waves.png", f"{out}/progressive.jxl")
    waves(530, 300).save(f"{work}/groups.png")
    run("cjxl", "-d", "6", "-p", "--progressive_dc=1", "--group_order=1", f"{work}/groups.png", f"{out}/ordered.jxl")
    # A gamma of 2 in place of sRGB's 2.4 makes it a profile that must be stored as such.
    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    curve = b"para" + struct.pack(">IHH", 0, 3, 0)
    profile = profile.replace(curve + b"\0\2\x66\x66", curve + b"\0\2\0\0")
    waves(64, 48).save(f"{work}/profile.png", icc_profile=profile)
    run("cjxl", "-d", "2", f"{work}/profile.png", f"{out}/profile.jxl")
    turns = [quarters(32, 24, turn) for turn in range(4)]
    turns[0].save(f"{work}/turns.png", save_all=True, append_images=turns[1:], duration=[100, 200, 30, 0], loop=3,
                  blend=0, disposal=0)
    run("cjxl", "-d", "0", f"{work}/turns.png", f"{out}/animation.jxl")
    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    quarters(64, 48).save(f"{work}/metadata.jpg", quality=95, subsampling=0, exif=b"Exif\0\0" + exif(6),
                          icc_profile=profile)
    run("cjxl", f"{work}/metadata.jpg", f"{out}/metadata.jxl")


def make_jxl_features(out, work):
    letters(180, 70).save(f"{work}/letters.png")
    run("cjxl", "-d", "1", "-e", "7", f"{work}/letters.png", f"{out}/patches.jxl")
    drawn("curves", "Width 90 Height 70 Bitdepth 8 XYB\n" + curve(5, 5, 80, 20, 30, 60, 85, 65) + curve(10, 60, 70, 5) +
          "- Set + 0\n", out, work)
    drawn("decisions", """Width 300 Height 200 GroupShift 0 Squeeze Alpha
        if x > 20 if y > 9 - W + 3 if Prev > 3 - Gradient + 1 - AvgW+N - 2
        if |N| > 4 if W-NW > 2 - Weighted + 2 - N + 5 if WGH > 7 - NW + 1 - Select + 2
        """, out, work)


def letters(width, height):
    """Text, whose letters occur often."""
    picture = Image.new("RGB", (width, height), "white")
    drawing = ImageDraw.Draw(picture)
    for y in range(4, height - 10, 13):
        drawing.text((4, y), "abcabc cabbac bacabc abba", fill="black", font=ImageFont.load_default())
    return picture


def curve(*points):
    """A curve of one colour and width, as jxl_from_tree has it."""
    constants = " ".join(f"{value} " + "0 " * 31 for value in (0.3, 0.8, 0.2, 1.5))
    return f"Spline {constants} {' '.join(map(str, points))} EndSpline\n"


def drawn(name, text, out, work):
    """A picture of a program for jxl_from_tree."""
    with open(f"{work}/{name}.txt", "w") as file:
        file.write(text)
    run("jxl_from_tree", f"{work}/{name}.txt", f"{out}/{name}.jxl")


def main():
    out = sys.argv[1]
    os.makedirs(out, exist_ok=True)
    with tempfile.TemporaryDirectory() as work:
        make_avif(out, work)
        make_heic(out, work)
        make_jxl(out, work)
        make_jxl_features(out, work)


if __name__ == "__main__":
    main()
