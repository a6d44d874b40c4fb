import WebImageAllFormats

/// Every coder there is.
let corpusCoders = CodersManager(CodersManager.allFormats)
