"""Makes the pictures of Scripts/demo and the files of `Scripts/bench network`: our own work, the same at every run.

    /usr/bin/python3 make_pictures.py OUTDIR [--small]    24 pictures of 1 to 12 megapixels (--small: an 8th as wide)
    /usr/bin/python3 make_pictures.py --bench DIR         2,000 distinct files of 20,480 bytes that begin like a JPEG

Needs Debian's python3-numpy and python3-pil. No font, no network, no other input.
"""

import argparse
import os
import sys

import numpy
from PIL import Image, ImageDraw

from png_writer import write_png

BENCH_FILES = 2000
BENCH_BYTES = 20480
JPEG_START = bytes.fromhex("ffd8ffe000104a46494600010100000100010000")
JPEG_END = bytes.fromhex("ffd9")
ORIENTATION_TAG = 0x0112

# How a picture that is upright must be turned before it is stored under each EXIF orientation.
STORED_AS = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_90,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_270,
}


# --- What the pictures show -------------------------------------------------------------------------------------------


def fractal_noise(random, width, height, octaves=11):
    """Clouds: noise at every scale from the whole picture down to a few pixels, in 0...1."""
    total = numpy.zeros((height, width), dtype=numpy.float32)
    weight = 1.0
    for octave in range(octaves):
        cells = 2 ** (octave + 1)
        grid = random.random((cells + 1, cells * width // height + 2), dtype=numpy.float32)
        total += weight * numpy.asarray(Image.fromarray(grid).resize((width, height), Image.Resampling.BICUBIC))
        weight *= 0.55
    low, high = float(total.min()), float(total.max())
    return (total - low) / (high - low)


def ridge(random, width, height, level, roughness):
    """The outline of a mountain range: a polygon's points from the left edge to the right."""
    steps = 96
    heights = numpy.cumsum(random.normal(0, roughness, steps + 1))
    heights = heights - numpy.linspace(heights[0], heights[-1], steps + 1)
    points = [(width * i / steps, height * (level + heights[i])) for i in range(steps + 1)]
    return points + [(width, height), (0, height)]


def photograph(width, height, seed):
    """A landscape with a sky, hard edges, texture and sensor grain: as hard to code as a photograph."""
    random = numpy.random.Generator(numpy.random.PCG64(seed))
    clouds = fractal_noise(random, width, height)
    down = numpy.linspace(0, 1, height, dtype=numpy.float32)[:, None]
    tint = numpy.array(random.uniform(0.7, 1.0, 3), dtype=numpy.float32)

    picture = numpy.empty((height, width, 3), dtype=numpy.float32)
    for channel, (top, bottom) in enumerate([(50, 250), (95, 205), (185, 160)]):
        picture[..., channel] = (top + (bottom - top) * down) * tint[channel] + 70 * (clouds - 0.4)

    for layer in range(4):
        mask = Image.new("L", (width, height), 0)
        ImageDraw.Draw(mask).polygon(ridge(random, width, height, 0.45 + 0.13 * layer, 0.018), fill=255)
        inside = numpy.asarray(mask) > 0
        shade = 0.75 - 0.13 * layer
        rock = numpy.roll(clouds, width // 7 * (layer + 1), axis=1)[inside]
        for channel, base in enumerate([95, 110, 85]):
            picture[..., channel][inside] = shade * (base * tint[channel] + 130 * (rock - 0.35))

    grain = random.standard_normal((height, width), dtype=numpy.float32)
    picture += 8.0 * grain[..., None]
    return Image.fromarray(picture.clip(0, 255).astype(numpy.uint8))


def gradient(width, height):
    """Smooth colour in both directions, as floats in 0...1: shows banding and wrong rounding."""
    across = numpy.linspace(0, 1, width)[None, :]
    down = numpy.linspace(0, 1, height)[:, None]
    shape = (height, width)
    planes = [numpy.broadcast_to(across, shape), numpy.broadcast_to(down, shape), 1 - (across + down) / 2]
    return numpy.stack(planes, axis=-1)


def draw_text(picture, text, left, top, height, ink):
    """Writes with Pillow's built-in bitmap font, enlarged to `height` pixels."""
    scratch = Image.new("L", (8 * len(text) + 8, 11), 0)
    ImageDraw.Draw(scratch).text((0, 0), text, fill=255)
    scratch = scratch.crop((0, 0, scratch.getbbox()[2], 11))
    size = (max(1, scratch.width * height // 11), height)
    picture.paste(ink, (left, top), scratch.resize(size, Image.Resampling.BICUBIC))


def page(width, height):
    """A page of small text with rules: thin strokes, mostly white."""
    picture = Image.new("L", (width, height), 255)
    line = max(11, height // 60)
    text = "A picture walks one way: request, cache, load, decode, transform, store, view. 0123456789 "
    for row, top in enumerate(range(line, height - 2 * line, line * 3 // 2)):
        start = row * 7 % len(text)
        draw_text(picture, (text[start:] + text)[:84], line, top, line, 0)
    ImageDraw.Draw(picture).rectangle((line // 2, line // 2, width - line // 2, height - line // 2), outline=0)
    return picture


def glass(width, height, seed):
    """Coloured discs with soft edges on nothing: every value of alpha."""
    random = numpy.random.Generator(numpy.random.PCG64(seed))
    y, x = numpy.mgrid[0:height, 0:width].astype(numpy.float32)
    straight = numpy.zeros((height, width, 4), dtype=numpy.float32)
    for _ in range(9):
        centre_x, centre_y = random.uniform(0.1, 0.9, 2) * (width, height)
        radius = random.uniform(0.12, 0.3) * height
        distance = numpy.hypot(x - centre_x, y - centre_y) / radius
        cover = (random.uniform(0.4, 1.0) * (1 - distance) * 3).clip(0, 1)[..., None]
        straight[..., :3] = straight[..., :3] * (1 - cover) + random.uniform(30, 255, 3) * cover
        straight[..., 3:] = straight[..., 3:] * (1 - cover) + 255 * cover
    return Image.fromarray(straight.round().clip(0, 255).astype(numpy.uint8), "RGBA")


def chart(width, height):
    """Flat colours, hard edges and text, with a transparent margin."""
    picture = Image.new("RGBA", (width, height), (0, 0, 0, 0))
    draw = ImageDraw.Draw(picture)
    draw.rectangle((width // 20, height // 20, width * 19 // 20, height * 19 // 20), fill=(250, 248, 240, 255))
    colours = [(52, 101, 164), (204, 0, 0), (78, 154, 6), (245, 121, 0), (117, 80, 123), (193, 125, 17)]
    for index, colour in enumerate(colours):
        left = width * (index + 1) // 8
        top = height * (7 - (index * 5 + 3) % 6) // 10
        draw.rectangle((left, top, left + width // 11, height * 9 // 10), fill=colour + (255,))
        draw_text(picture, f"{10 * index + 7} %", left, top - height // 20, height // 25, colour + (255,))
    return picture


def clock_frames(width, height, count):
    """A clock whose hand turns once; a clear background, so that frames must be composed."""
    frames = []
    middle_x, middle_y, radius = width / 2, height / 2, min(width, height) * 0.45
    for index in range(count):
        frame = Image.new("RGBA", (width, height), (0, 0, 0, 0))
        draw = ImageDraw.Draw(frame)
        box = (middle_x - radius, middle_y - radius, middle_x + radius, middle_y + radius)
        draw.ellipse(box, fill=(255, 250, 235, 255), outline=(60, 60, 60, 255), width=max(1, int(radius / 20)))
        draw.pieslice(box, -90, -90 + 360 * (index + 1) / count, fill=(52, 101, 164, 255))
        draw_text(frame, str(index + 1), int(middle_x), int(middle_y), max(11, int(radius / 4)), (204, 0, 0, 255))
        frames.append(frame)
    return frames


# --- How they are stored ----------------------------------------------------------------------------------------------


class Maker:
    """Writes pictures into one folder; `scale` divides every side."""

    def __init__(self, folder, scale):
        self.folder = folder
        self.scale = scale

    def path(self, name):
        return os.path.join(self.folder, name)

    def size(self, width, height):
        return width // self.scale, height // self.scale

    def save(self, picture, name, **options):
        picture.save(self.path(name), **options)

    def jpeg(self):
        large = photograph(*self.size(4000, 3000), seed=1)
        self.save(large, "landscape-12mp.jpg", quality=85)
        middle = photograph(*self.size(3264, 2448), seed=2)
        self.save(middle, "landscape-8mp-progressive.jpg", quality=85, progressive=True)
        self.save(photograph(*self.size(1200, 1600), seed=3).convert("L"), "portrait-2mp-grey.jpg", quality=88)
        detail = photograph(*self.size(2000, 1500), seed=4)
        detail.paste(page(*self.size(1000, 1500)), (0, 0))
        self.save(detail, "detail-3mp-444.jpg", quality=92, subsampling=0)
        smooth = (gradient(*self.size(1200, 900)) * 255).round().astype(numpy.uint8)
        self.save(Image.fromarray(smooth), "gradient-1mp.jpg", quality=90)
        self.oriented()

    def oriented(self):
        """The same landscape under each orientation; shown right, the number at the top left reads upright."""
        upright = photograph(*self.size(1280, 960), seed=5)
        for orientation, turn in STORED_AS.items():
            picture = upright.copy()
            text_height = max(11, picture.height // 8)
            draw_text(picture, f"orientation {orientation}", text_height, text_height, text_height, (255, 255, 255))
            exif = Image.Exif()
            exif[ORIENTATION_TAG] = orientation
            self.save(picture.transpose(turn), f"orientation-{orientation}.jpg", quality=85, exif=exif)

    def png(self):
        self.save(photograph(*self.size(1600, 1250), seed=6), "photo-2mp.png", compress_level=6)
        self.save(glass(*self.size(1200, 1000), seed=7), "glass-1mp-alpha.png")
        palette = chart(*self.size(1200, 900)).quantize(64, method=Image.Quantize.FASTOCTREE)
        self.save(palette, "chart-1mp-palette.png")
        self.save(page(*self.size(1500, 2000)), "page-3mp-grey.png")
        deep = (gradient(*self.size(1200, 900)) * 65535).round().astype(numpy.uint16)
        write_png(self.path("gradient-1mp-16bit.png"), deep)
        photo = numpy.asarray(photograph(*self.size(1280, 900), seed=8))
        write_png(self.path("photo-1mp-interlaced.png"), photo, interlaced=True)

    def gif(self):
        frames = clock_frames(*self.size(1200, 900), count=12)
        self.save(frames[0], "clock-1mp-endless.gif", save_all=True, append_images=frames[1:], duration=80, loop=0)
        self.save(chart(*self.size(1200, 900)), "chart-1mp.gif")

    def webp(self):
        self.save(photograph(*self.size(2400, 1600), seed=9), "landscape-4mp-lossy.webp", quality=80, method=2)
        self.save(glass(*self.size(1600, 1200), seed=10), "glass-2mp-alpha.webp", quality=80, method=2)
        self.save(chart(*self.size(1200, 900)), "chart-1mp-lossless.webp", lossless=True, method=2)
        frames = clock_frames(*self.size(1200, 900), count=12)
        options = {"save_all": True, "append_images": frames[1:], "duration": 80, "loop": 3}
        self.save(frames[0], "clock-1mp-3-loops.webp", quality=80, method=0, **options)


def make_pictures(folder, scale):
    os.makedirs(folder, exist_ok=True)
    maker = Maker(folder, scale)
    for make in (maker.jpeg, maker.png, maker.gif, maker.webp):
        make()
    names = sorted(os.listdir(folder))
    total = sum(os.path.getsize(os.path.join(folder, name)) for name in names)
    print(f"{len(names)} pictures, {total / 1e6:.1f} MB, in {folder}")


def make_bench_files(folder):
    os.makedirs(folder, exist_ok=True)
    for index in range(BENCH_FILES):
        random = numpy.random.Generator(numpy.random.PCG64(index))
        body = random.bytes(BENCH_BYTES - len(JPEG_START) - len(JPEG_END))
        with open(os.path.join(folder, f"{index:04}.jpg"), "wb") as file:
            file.write(JPEG_START + body + JPEG_END)
    print(f"{BENCH_FILES} files of {BENCH_BYTES} bytes in {folder}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", metavar="OUTDIR", help="where the pictures go")
    parser.add_argument("--small", action="store_true", help="an 8th as wide and high")
    parser.add_argument("--bench", metavar="DIR", help="make the files of the network benchmark there")
    arguments = parser.parse_args()
    if not arguments.folder and not arguments.bench:
        parser.error("name OUTDIR, or --bench DIR")
    if arguments.folder:
        make_pictures(arguments.folder, scale=8 if arguments.small else 1)
    if arguments.bench:
        make_bench_files(arguments.bench)
    return 0


if __name__ == "__main__":
    sys.exit(main())
