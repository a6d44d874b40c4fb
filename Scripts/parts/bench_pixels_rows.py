"""The rows of the pixels benchmark: what is done, against whom, and how it should compare."""

import dataclasses


@dataclasses.dataclass
class Peer:
    """One peer; `goal` is the largest ratio of our time to its, `None` where the row only tells."""

    name: str
    goal: float | None = None
    work: str | None = None

    def work_of(self, row):
        """What the peer does for a row: the same, where it has it."""
        return self.work or ("thumbnail" if row.work == "fast" else row.work)


@dataclasses.dataclass
class Row:
    """One line. `psnr` is in decibels against a full decode and a float64 Lanczos, or at least the named peer's."""

    text: str
    work: str
    file: str
    width: int
    height: int
    peers: list
    psnr: float | str | None = None
    best_goal: float | None = None
    # A peer that does only what cannot be left out, so that no ratio to another gets below its.
    floor: str | None = None


def thumbnail(text, file, peers, psnr="vips", work="thumbnail", **more):
    return Row(text, work, file, 400, 400, peers, psnr, **more)


def all_decoders(goal):
    return [Peer("vips", goal), Peer("pillow", goal), Peer("opencv", goal, "thumbnail_quarter")]


ROWS = {
    "jpeg": thumbnail(
        "12-megapixel JPEG to 400", "12mp.jpg",
        [Peer("vips", 0.85), Peer("pillow", 0.75), Peer("opencv", 1.0, "thumbnail_quarter"),
         Peer("opencv", None, "thumbnail_eighth")], 48),
    "progressive-fast": thumbnail(
        "12-megapixel progressive JPEG to 400, fast", "12mp_progressive.jpg", all_decoders(0.25), 40, "fast"),
    "progressive": thumbnail(
        "12-megapixel progressive JPEG to 400, exact", "12mp_progressive.jpg", all_decoders(None), 48, best_goal=1.0),
    "square": thumbnail(
        "1080 JPEG to 400", "1080.jpg", [Peer("vips", 0.6), Peer("pillow"), Peer("opencv", 1.2)]),
    "png": Row("2-megapixel RGBA PNG in full", "decode", "2mp.png", 0, 0, [Peer("libpng", 0.5)]),
    "png-thumbnail": thumbnail("2-megapixel RGBA PNG to 400", "2mp.png", [Peer("vips", 0.35), Peer("pillow")]),
    "webp": thumbnail("2-megapixel lossy WebP to 400", "2mp.webp", [Peer("vips", 0.95), Peer("pillow")]),
    "webp-lossless": thumbnail(
        "2-megapixel lossless WebP to 400", "2mp_lossless.webp", [Peer("vips", 0.9), Peer("pillow")]),
    "avif": thumbnail("2-megapixel AVIF to 400", "2mp.avif", [Peer("vips", 0.4), Peer("pillow")]),
    "gif": Row("60 full frames of GIF", "frames", "full.gif", 0, 0, [Peer("pillow", 0.5)]),
    "gif-partial": Row("60 partial frames of GIF", "frames", "partial.gif", 0, 0, [Peer("pillow", 0.3)]),
    "webp-frames": Row("60 frames of WebP", "frames", "60.webp", 0, 0, [Peer("pillow", 0.8), Peer("libwebp", None, "to YUV")],
                       floor="libwebp"),
    "resize": Row(
        "1080 to 400 in memory", "resize", "1080.png", 400, 400,
        [Peer("vips", 0.3), Peer("pillow", 0.12, "resize_straight"), Peer("pillow"), Peer("opencv", 0.4)], "vips"),
    "resize-large": Row(
        "4000×3000 to 400×300 in memory", "resize", "12mp.png", 400, 300,
        [Peer("vips", 0.06), Peer("pillow", 0.25, "resize_straight_gap"), Peer("pillow", None, "resize_gap"),
         Peer("opencv", 1.0)], "vips"),
    "blur": Row("blur of sigma 10 at 1080", "blur", "1080.png", 10, 0, [Peer("opencv", 1.0)]),
    "rotate": Row("turn by 30 degrees at 1080", "rotate", "1080.png", 30, 0, [Peer("opencv", 1.0)]),
}


@dataclasses.dataclass
class MemoryRow:
    """A work that is done so often in a process of its own; `goal` is in megabytes above the start."""

    text: str
    work: str
    file: str
    count: int
    goal: float


MEMORY_ROWS = {
    "memory-jpeg": MemoryRow("memory of a 12-megapixel JPEG thumbnail", "thumbnail", "12mp.jpg", 1, 6),
    "memory-png": MemoryRow("memory of a 100-megapixel PNG thumbnail", "thumbnail", "100mp.png", 1, 24),
    "memory-stream": MemoryRow("memory of 500 thumbnails of 12-megapixel JPEG", "thumbnail", "12mp.jpg", 500, 24),
}

BATCH_FILES = ["1080.jpg"] * 40 + ["2mp.png"] * 8 + ["2mp.webp"] * 10 + ["12mp.jpg"] * 6
BATCH_GOALS = (1.8, 0.7)
