// One import for users: the path, the pixels, and the default transport and coders.
@_exported public import WebImageAVIF
@_exported public import WebImageCore
@_exported public import WebImageCurl
@_exported public import WebImageGIF
@_exported public import WebImageJPEG
@_exported public import WebImagePNG
@_exported public import WebImagePixels
@_exported public import WebImageWebP
