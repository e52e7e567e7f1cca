/// Whoever imports Junction has its errors: `SQLError`, `SQLState`, `Notice`.
@_exported public import Diagnostics
