import Diagnostics

/// A page that loads nothing.
enum HTMLPage {
  /// The text of a page with its title, its style and what stands in its body.
  static func text(title: String, style: String, body: String) -> String {
    """
    <!DOCTYPE html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>\(MarkupEscape.visible(title))</title>
    <style>
    \(style)
    </style>
    </head>
    <body>
    \(body)</body>
    </html>

    """
  }
}
