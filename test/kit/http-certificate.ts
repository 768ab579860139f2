/** A self-signed certificate for localhost, good for a hundred years and for nothing but tests: its key is public by being here. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

export const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBmzCCAUGgAwIBAgIUU6thxxa2GHry8kZv70TPopoZrIowCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMDE0NDQxNFoYDzIxMjYxMDI3
MTQ0NDE0WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAARoGxJ90yc2NA6m084Yohj0cvRk0ECWOJ3ojMFwQvl4bOO1a43r4LdA
BhTSFa6ghTzgG/kXHaD7FLyYTskB4Jaco28wbTAdBgNVHQ4EFgQUgtkXUnwgLnu/
fuW6Xak/oaFvemMwHwYDVR0jBBgwFoAUgtkXUnwgLnu/fuW6Xak/oaFvemMwDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDSAAwRQIhALVBf5p4zoyxcp8e5O2SK0aVcHr4Ws8cRxcnRZrNDBM3AiAE
Ip33R+Q54BLhd1AtICshKlQaNshmaV4omsQwDXmMPw==
-----END CERTIFICATE-----
`

export const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgciYG8Llp4ytJ+E+4
weoxO7ESpN73ajpD98lC2meAir2hRANCAARoGxJ90yc2NA6m084Yohj0cvRk0ECW
OJ3ojMFwQvl4bOO1a43r4LdABhTSFa6ghTzgG/kXHaD7FLyYTskB4Jac
-----END PRIVATE KEY-----
`

export interface CertificateFiles {
  readonly certFile: string
  readonly keyFile: string
  readonly remove: () => void
}

/** As files, which is how the gateway takes them. */
export const certificateFiles = (): CertificateFiles => {
  const directory = mkdtempSync(join(tmpdir(), "certificate-"))
  const certFile = join(directory, "cert.pem")
  const keyFile = join(directory, "key.pem")
  writeFileSync(certFile, CERTIFICATE)
  writeFileSync(keyFile, KEY, { mode: 0o600 })
  return { certFile, keyFile, remove: () => rmSync(directory, { recursive: true, force: true }) }
}
