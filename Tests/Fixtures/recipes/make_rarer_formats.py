"""Makes the files of Tests/Fixtures/rarer: small pictures in formats and compressions beyond those of the web.

    /usr/bin/python3 make_rarer_formats.py OUTDIR

Needs Debian's python3-pil. What TIFF holds uncompressed is written by the tests themselves (TIFFFile.swift).
"""

import os
import sys

from PIL import Image

WIDTH, HEIGHT = 9, 6


def color(x, y):
    """The rule that the tests know as well."""
    return x * 28, y * 50, (x * 7 + y * 13) % 256


def rgb():
    picture = Image.new("RGB", (WIDTH, HEIGHT))
    picture.putdata([color(x, y) for y in range(HEIGHT) for x in range(WIDTH)])
    return picture


def rgba():
    picture = Image.new("RGBA", (WIDTH, HEIGHT))
    picture.putdata([color(x, y) + (255 - x * 20,) for y in range(HEIGHT) for x in range(WIDTH)])
    return picture


def gray():
    picture = Image.new("L", (WIDTH, HEIGHT))
    picture.putdata([color(x, y)[0] for y in range(HEIGHT) for x in range(WIDTH)])
    return picture


def bilevel():
    """White where x + y is even."""
    picture = Image.new("1", (WIDTH, HEIGHT))
    picture.putdata([255 * ((x + y + 1) % 2) for y in range(HEIGHT) for x in range(WIDTH)])
    return picture


def palette():
    picture = Image.new("P", (WIDTH, HEIGHT))
    picture.putpalette([value for y in range(HEIGHT) for x in range(WIDTH) for value in color(x, y)])
    picture.putdata(list(range(WIDTH * HEIGHT)))
    return picture


def save_tiffs(path):
    rgb().save(path("rgb_lzw_predictor.tiff"), compression="tiff_lzw", tiffinfo={317: 2})
    rgb().save(path("rgb_deflate.tiff"), compression="tiff_adobe_deflate")
    gray().save(path("gray_packbits.tiff"), compression="packbits")
    bilevel().save(path("bilevel_g4.tiff"), compression="group4")
    palette().save(path("palette_lzw.tiff"), compression="tiff_lzw")
    flat = Image.new("RGB", (WIDTH, HEIGHT), (200, 100, 50))
    flat.save(path("ycbcr_jpeg.tiff"), compression="jpeg", quality=95)


def save_others(path):
    rgb().save(path("rgb24.bmp"))
    palette().save(path("palette8.bmp"))
    bilevel().save(path("bilevel.bmp"))
    rgba().resize((16, 16), Image.Resampling.NEAREST).save(path("icon.ico"), sizes=[(16, 16)], bitmap_format="bmp")
    rgb().save(path("rgb24.tga"))
    rgba().save(path("rgba32_rle.tga"), compression="tga_rle")
    rgb().save(path("rgb.ppm"))
    gray().save(path("gray.pgm"))
    bilevel().save(path("bilevel.pbm"))
    bilevel().save(path("bilevel.xbm"))


def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    os.makedirs(sys.argv[1], exist_ok=True)

    def path(name):
        return os.path.join(sys.argv[1], name)

    save_tiffs(path)
    save_others(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
