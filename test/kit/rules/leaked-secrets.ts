/** What looks like a secret in a file that git keeps: keys, tokens, passwords in URLs. Tests may plant theirs in test/ where they are named. */
export interface Leak {
  readonly line: number
  readonly what: string
}

const PATTERNS: ReadonlyArray<readonly [what: string, pattern: RegExp]> = [
  ["a private key", /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----\s*(?:\\n)?[A-Za-z0-9+/=]/],
  ["an AWS key", /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/],
  ["a GitHub token", /\b(?:gh[pousr]_[A-Za-z0-9]{36}|github_pat_[A-Za-z0-9_]{60,})\b/],
  ["an npm token", /\bnpm_[A-Za-z0-9]{36}\b|_authToken\s*=\s*\S/],
  ["a Slack token", /\bxox[abprs]-[A-Za-z0-9-]{10,}/],
  ["a Stripe key", /\b[rs]k_live_[A-Za-z0-9]{20,}/],
  ["a signed token", /\beyJ[A-Za-z0-9_-]{15,}\.eyJ[A-Za-z0-9_-]{20,}\.[A-Za-z0-9_-]{20,}/],
  // Words and examples are free; what was drawn at random is not.
  ["a password in a URL", /\b[a-z][a-z0-9+]*:\/\/[^\s/:@"'`]+:(?=[^\s@"'`$<{]*\d)[A-Za-z0-9+/=_-]{20,}@/],
  [
    "a secret that is set",
    /\b(?:api_?key|secret|passphrase|password|token)["']?\s*[:=]\s*["'](?=[^"']*\d)(?=[^"']*[A-Z])[A-Za-z0-9+/=_-]{32,}["']/i,
  ],
]

export const leaks = (text: string): ReadonlyArray<Leak> =>
  PATTERNS.flatMap(([what, pattern]) =>
    [...text.matchAll(new RegExp(pattern, `g${pattern.flags}`))].map(({ index }) => ({
      line: text.slice(0, index).split("\n").length,
      what,
    })),
  ).sort((a, b) => a.line - b.line)
