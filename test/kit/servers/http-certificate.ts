/** Self-signed certificates for localhost, good for a hundred years and for nothing but tests: their keys are public by being here. */
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

export interface Pair {
  readonly certificate: string
  readonly key: string
}

export const FIRST: Pair = { certificate: CERTIFICATE, key: KEY }

/** What it is renewed with: another key, another serial number. */
export const SECOND: Pair = {
  certificate: `-----BEGIN CERTIFICATE-----
MIIBmzCCAUGgAwIBAgIUCGMZC1LUIfEpcHbfjRyugGtXlBUwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMjA4MzcxM1oYDzIxMjYxMDI5
MDgzNzEzWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAATyEatxVnDvR3UV/PeIcy/pX5+UQwXNJFInuEqJEZXk0BXjqf4QINlA
0rYaJcMU7MVgpizxgDTkbTtKc6fbkWeHo28wbTAdBgNVHQ4EFgQUu6dOuG0eIIqm
nLIXNHAYJsyYDSkwHwYDVR0jBBgwFoAUu6dOuG0eIIqmnLIXNHAYJsyYDSkwDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDSAAwRQIhAOqTQcNSMnmF3KvZ6vPBpqEeiNelDp4NR+Tli05sRf69AiBB
7LdjESe/04CtwBhGh6RvuYc+lV1lwY9Oqs0FZJgnIg==
-----END CERTIFICATE-----
`,
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgmRmrZTImfo+R2YLg
OC9epqAYh9UuE+N8/6wPgyrxvoahRANCAATyEatxVnDvR3UV/PeIcy/pX5+UQwXN
JFInuEqJEZXk0BXjqf4QINlA0rYaJcMU7MVgpizxgDTkbTtKc6fbkWeH
-----END PRIVATE KEY-----
`,
}

/** Of the second's key; over since 2020-02-01. */
export const EXPIRED: Pair = {
  certificate: `-----BEGIN CERTIFICATE-----
MIIBDjCBtgIBATAKBggqhkjOPQQDAjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwHhcN
MjAwMTAxMDAwMDAwWhcNMjAwMjAxMDAwMDAwWjAUMRIwEAYDVQQDDAlsb2NhbGhv
c3QwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAATyEatxVnDvR3UV/PeIcy/pX5+U
QwXNJFInuEqJEZXk0BXjqf4QINlA0rYaJcMU7MVgpizxgDTkbTtKc6fbkWeHMAoG
CCqGSM49BAMCA0cAMEQCIEGoYlEf/AX8+m8qbClzdTTymZ9GSJn/ZTJPJLaDTl4U
AiBNEK5wTTRs3QjKB8tl0ngFAezDW2bqEIaPNOuIz/TaHg==
-----END CERTIFICATE-----
`,
  key: SECOND.key,
}

export interface CertificateFiles {
  readonly certFile: string
  readonly keyFile: string
  /** As whoever renews it would. */
  readonly write: (pair: Pair) => void
  readonly remove: () => void
}

/** As files, which is how the gateway takes them. */
export const certificateFiles = (): CertificateFiles => {
  const directory = mkdtempSync(join(tmpdir(), "certificate-"))
  const certFile = join(directory, "cert.pem")
  const keyFile = join(directory, "key.pem")
  const write = ({ certificate, key }: Pair): void => {
    writeFileSync(certFile, certificate)
    writeFileSync(keyFile, key, { mode: 0o600 })
  }
  write(FIRST)
  return { certFile, keyFile, write, remove: () => rmSync(directory, { recursive: true, force: true }) }
}
