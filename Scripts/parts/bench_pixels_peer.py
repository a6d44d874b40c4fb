"""A peer that works off requests as PixelsBench.swift does: bench_pixels_peer.py vips|pillow|opencv"""

import functools
import io
import os
import sys
import time

# One thread each.
os.environ.update(VIPS_CONCURRENCY="1", OMP_NUM_THREADS="1", OPENCV_FOR_THREADS_NUM="1")

import numpy
from PIL import Image


@functools.cache
def read(file):
    with open(file, "rb") as opened:
        return opened.read()


@functools.cache
def pixels(file):
    return numpy.asarray(Image.open(file).convert("RGBA"))


class Vips:
    def __init__(self):
        import pyvips

        self.library = pyvips
        pyvips.cache_set_max(0)

    def thumbnail(self, file, width, height):
        image = self.library.Image.thumbnail_buffer(read(file), width, height=height, size="down")
        return image.width, image.height, image.bands, image.write_to_memory()

    def resize(self, file, width, height):
        source = pixels(file)
        image = self.library.Image.new_from_memory(
            source.data, source.shape[1], source.shape[0], 4, "uchar")
        image = image.resize(width / source.shape[1], vscale=height / source.shape[0], kernel="lanczos3")
        return image.width, image.height, 4, image.write_to_memory()

    def batch(self, files, _, side):
        for file in files.split(","):
            self.thumbnail(file, side, side)
        return 0, 0, 0, b""


class Pillow:
    def thumbnail(self, file, width, height):
        image = Image.open(io.BytesIO(read(file)))
        # With draft mode for JPEG and a reducing gap of two.
        image.thumbnail((width, height), Image.Resampling.LANCZOS)
        return *image.size, len(image.getbands()), image

    def frames(self, file, _, __):
        image = Image.open(io.BytesIO(read(file)))
        for index in range(image.n_frames):
            image.seek(index)
            frame = image.convert("RGBA")
        return *frame.size, 4, frame

    @functools.cache
    def source(self, file):
        # Premultiplied, as ours is: no conversion inside.
        return Image.fromarray(pixels(file), "RGBA").convert("RGBa")

    def resize(self, file, width, height, gap=None):
        image = self.source(file).resize((width, height), Image.Resampling.LANCZOS, reducing_gap=gap)
        return width, height, 4, image

    def resize_straight(self, file, width, height):
        """As Pillow's users have it: straight alpha, multiplied and divided inside."""
        image = Image.fromarray(pixels(file), "RGBA").resize((width, height), Image.Resampling.LANCZOS)
        return width, height, 4, image

    def resize_straight_gap(self, file, width, height):
        image = Image.fromarray(pixels(file), "RGBA").resize(
            (width, height), Image.Resampling.LANCZOS, reducing_gap=2.0)
        return width, height, 4, image

    def resize_gap(self, file, width, height):
        return self.resize(file, width, height, gap=2.0)


class OpenCV:
    def __init__(self):
        import cv2

        self.library = cv2
        cv2.setNumThreads(1)

    def fitted(self, image, width, height, stored):
        scale = min(width / stored[0], height / stored[1], 1)
        size = (max(1, -int(-stored[0] * scale // 1)), max(1, -int(-stored[1] * scale // 1)))
        return self.library.resize(image, size, interpolation=self.library.INTER_AREA)

    def reduced(self, file, width, height, flag, factor):
        image = self.library.imdecode(numpy.frombuffer(read(file), numpy.uint8), flag)
        stored = (image.shape[1] * factor, image.shape[0] * factor)
        return self.answer(self.fitted(image, width, height, stored))

    def thumbnail(self, file, width, height):
        return self.reduced(file, width, height, self.library.IMREAD_COLOR, 1)

    def thumbnail_quarter(self, file, width, height):
        return self.reduced(file, width, height, self.library.IMREAD_REDUCED_COLOR_4, 4)

    def thumbnail_eighth(self, file, width, height):
        return self.reduced(file, width, height, self.library.IMREAD_REDUCED_COLOR_8, 8)

    def resize(self, file, width, height):
        return self.answer(self.library.resize(pixels(file), (width, height), interpolation=self.library.INTER_AREA))

    def blur(self, file, sigma, _):
        # Three boxes whose variances add up to the Gaussian's.
        side = int(((12 * sigma * sigma / 3) + 1) ** 0.5) | 1
        image = pixels(file)
        for _ in range(3):
            image = self.library.blur(image, (side, side), borderType=self.library.BORDER_REPLICATE)
        return self.answer(image)

    def rotate(self, file, degrees, _):
        image = pixels(file)
        height, width = image.shape[:2]
        turn = self.library.getRotationMatrix2D((width / 2, height / 2), degrees, 1)
        cosine, sine = abs(turn[0, 0]), abs(turn[0, 1])
        size = (int(height * sine + width * cosine), int(height * cosine + width * sine))
        turn[:, 2] += (size[0] / 2 - width / 2, size[1] / 2 - height / 2)
        return self.answer(self.library.warpAffine(image, turn, size, flags=self.library.INTER_LINEAR))

    @staticmethod
    def answer(image):
        return image.shape[1], image.shape[0], image.shape[2], image


def rgba(width, height, bands, data, swapped):
    if isinstance(data, Image.Image):
        return numpy.asarray(data if data.mode == "RGBa" else data.convert("RGBA"))
    samples = data if isinstance(data, numpy.ndarray) else numpy.frombuffer(data, numpy.uint8)
    samples = samples.reshape(height, width, bands)
    if swapped:
        samples = samples[:, :, [2, 1, 0] + [3] * (bands - 3)]
    if bands == 4:
        return samples
    return numpy.dstack([samples, numpy.full((height, width), 255, numpy.uint8)])


def main(name):
    peer = {"vips": Vips, "pillow": Pillow, "opencv": OpenCV}[name]()
    for line in sys.stdin:
        work, file, width, height, out = line.rstrip("\n").split("\t")
        run = getattr(peer, work, None)
        if run is None:
            print(f"no work {work}", flush=True)
            continue
        for one in file.split(","):
            read(one)
        if "thumbnail" not in work and work not in ("frames", "batch"):
            pixels(file)
            if name == "pillow":
                peer.source(file)
        # Processor time, as ours: others may use the machine.
        start = time.process_time()
        result = run(file, int(width), int(height))
        taken = (time.process_time() - start) * 1e3
        if out != "-":
            is_decoded = name == "opencv" and work.startswith("thumbnail")
            with open(out, "wb") as opened:
                opened.write(rgba(*result, is_decoded).tobytes())
        print(taken, *result[:2], flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
