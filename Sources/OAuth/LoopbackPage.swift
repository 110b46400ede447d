import Foundation
import OpenSSLCrypto

/// The page a person is left with in the browser: a heading and a sentence, light or dark as they
/// like it, with nothing to load.
enum LoopbackPage {
  /// The page; both texts are constants of ours and stand in it as they are.
  static func text(title: StaticString, words: StaticString) -> String {
    """
    <!DOCTYPE html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>\(title)</title>
    <style>\(style)</style>
    </head>
    <body>
    <main>
    <h1>\(title)</h1>
    <p>\(words)</p>
    </main>
    </body>
    </html>
    """
  }

  /// Only this style applies, and nothing else (CSP 3 §2.3.1).
  static let policy =
    "default-src 'none'; style-src 'sha256-"
    + Data(Digest.sha256(style.utf8)).base64EncodedString() + "'"

  private static let style = """
    :root { color-scheme: light dark; }
    body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1rem;
      box-sizing: border-box; font: 1rem/1.5 system-ui, sans-serif; text-align: center; }
    h1 { margin: 0 0 .5rem; font-size: 1.375rem; }
    p { margin: 0; }
    """
}
