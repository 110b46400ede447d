import StrictJSON

/// A key, its thumbprint and a proof it signed, made by another implementation; test use only.
enum Published {
  static let jwk: JSONObject = [
    "kty": "EC", "crv": "P-256", "x": "Ur9U67pyx016p5TcyWPE_xWKUhCS5KQwR7hs87ytzXo",
    "y": "J_8tn546zIZxLdZYkWpmOK_f3sUjmHrfbfMYeEdb2Bs",
  ]
  static let scalar = "MMRzR3iLqqCbItujk_C75RyfLkgGv5xOrNP6IgAa0Xk"
  static let thumbprint = "ip2NRrOG0Ed8SjF39WTegfBVo1ykZ1jaAyzosS8wd40"
  static let proof =
    "eyJ0eXAiOiJkcG9wK2p3dCIsImFsZyI6IkVTMjU2IiwiandrIjp7Imt0eSI6IkVDIiwiY3J2IjoiUC0yNTYiLCJ4"
    + "IjoiVXI5VTY3cHl4MDE2cDVUY3lXUEVfeFdLVWhDUzVLUXdSN2hzODd5dHpYbyIsInkiOiJKXzh0bjU0NnpJWnhM"
    + "ZFpZa1dwbU9LX2Yzc1VqbUhyZmJmTVllRWRiMkJzIn19.eyJqdGkiOiJjMkZ0Y0d4bExXcDBhUzB3TURBeCIsImh"
    + "0bSI6IkdFVCIsImh0dSI6Imh0dHBzOi8vcGRzLmV4YW1wbGUubmV0L3hycGMvY29tLmF0cHJvdG8uc2VydmVyLmd"
    + "ldFNlc3Npb24iLCJpYXQiOjE3NjcyMjU2MDAsIm5vbmNlIjoiYm05dVkyVXRNUSIsImF0aCI6InJKa3JKWDJ0bWJ"
    + "JT3dpWFM5cEY5eUJnM3ZfdGJTSFIxZzVxTmRpME54MVEifQ.Vm2AeC5wlAaeCOy8mQRMiYzeDifwvWnoo4R2a1sI"
    + "9iGal59xh03_BdOJjQHe_XwDuqDDxhgFH-bE8ClmWGAxEw"
}
