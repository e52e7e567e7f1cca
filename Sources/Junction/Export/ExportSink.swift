import Diagnostics

/// Where the statements of an export go, one after another.
///
/// A piece is a whole statement, or lines of the data behind a `COPY`.
typealias ExportSink = ([UInt8]) throws(SQLError) -> Void
