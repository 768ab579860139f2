/**
 * Invalid values, by what they attempt (scoreboard B5 to B8): those of the tables, and those that the fuzz puts into fields. Rows of a table say
 * what a correct server does with them; the fuzz only requires an answer in the envelope.
 */

const FULL_WIDTH = "\uff11\uff12\uff13"

/** No decimal of the API's grammar (contract C7): refused in every decimal field. */
export const BAD_DECIMALS: ReadonlyArray<string> = [
  "",
  ".",
  "-",
  "+1",
  "NaN",
  "Infinity",
  "-Infinity",
  "1e5",
  "1E-7",
  "0x10",
  "0b1",
  "1_000",
  "1,000",
  "1'000",
  " 5",
  "5 ",
  " 5 ",
  "5\n",
  "\t5",
  "00",
  "01",
  "1.",
  ".5",
  "1..2",
  "1.2.3",
  "--1",
  "1-",
  "½",
  "٣",
  FULL_WIDTH,
  `1.${"0".repeat(19)}`,
  `0.${"0".repeat(18)}1`,
  "1".repeat(37),
  `1${"0".repeat(36)}`,
  `${"9".repeat(1_000)}`,
  "null",
  "true",
  "1n",
  "$1",
  "1%",
  "\u221e",
  "1\u0000",
  "1\u200b",
  "\u22121",
]

/** JSON values of other types, where decimal text is wanted: a number has lost its digits before we see it. */
export const BAD_DECIMAL_TYPES: ReadonlyArray<unknown> = [
  0,
  -0,
  1,
  1.5,
  1e21,
  true,
  false,
  [],
  ["1"],
  {},
  { value: "1" },
]

/** Of the grammar: they come back as they went in, or are refused for what they say, never as something else. */
export const GOOD_DECIMALS: ReadonlyArray<string> = [
  "0",
  "0.0",
  "1",
  "1.0",
  "0.1",
  "123456789.123456789",
  "0.000000000000000001",
  "9".repeat(36),
  `${"9".repeat(36)}.${"9".repeat(18)}`,
]

/** Refused wherever text is taken: PostgreSQL takes neither. */
export const UNSTORABLE_TEXTS: ReadonlyArray<string> = [
  "\u0000",
  "a\u0000b",
  "\ud800",
  "a\udc00b",
  "\udfff\ud800",
  `${"x".repeat(20)}\ud83d`,
]

/** Stored and returned unchanged: not normalised, not trimmed, not escaped twice. */
export const ODD_TEXTS: ReadonlyArray<string> = [
  "\u202eabc\u202c",
  "\u200f\u05d0\u05d1",
  "e\u0301",
  "\u00e9",
  "\u212b",
  "\ufb01",
  "\u{1f600}\u{1f469}\u200d\u{1f469}\u200d\u{1f467}",
  "\u{10ffff}",
  "\uffff",
  "\ufeffbom",
  "\u0001\u001b[31m\u007f",
  "line\r\nbreak\ttab",
  "\u2028\u2029",
  "a\u0300\u0301\u0302\u0303\u0304\u0305",
  `"quotes" 'and' \\back\\slashes\\ </script>`,
  "\u00a0\u3000",
  "%00 %0d%0a &lt; #{x} {{7*7}}",
  "NULL",
]

/** What would change a statement that is put together from text. */
export const SQL_TEXTS: ReadonlyArray<string> = [
  "'",
  "''",
  "' OR '1'='1",
  "'; DROP TABLE app_user; --",
  "1; SELECT pg_sleep(30)--",
  "' UNION SELECT NULL, version() --",
  "\\'; SELECT 1; --",
  "$1",
  "$$ || pg_sleep(30) || $$",
  "') OR EXISTS (SELECT 1 FROM app_user) --",
  "0/**/OR/**/1=1",
  "%' OR email LIKE '%",
  "{1,2}",
  "\ubf5c\u0027 OR 1=1 --",
]

/** Names that reach the prototype of an object when they are copied without care. */
export const PROTOTYPE_KEYS: ReadonlyArray<string> = [
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "hasOwnProperty",
  "__defineGetter__",
  "valueOf",
]

/** Places outside that a server must never be talked into visiting (S8). */
export const URLS: ReadonlyArray<string> = [
  "http://169.254.169.254/latest/meta-data/",
  "http://127.0.0.1:22/",
  "http://[::ffff:169.254.169.254]/",
  "http://0x7f.1/",
  "file:///etc/passwd",
  "gopher://127.0.0.1:6379/_INFO",
  "//example.com/x",
  "socks5://127.0.0.1:1080",
]

/** Fields that are the server's own: sent along, they have no effect. */
export const MASS_ASSIGNED: Readonly<Record<string, unknown>> = {
  userId: "00000000-0000-4000-8000-000000000000",
  tenantId: "other",
  role: "admin",
  permissions: ["admin"],
  status: "ACTIVE",
  appMetadata: { permissions: ["admin"] },
  app_metadata: { role: "admin" },
  isAdmin: true,
  balance: "1000000",
  createdAt: 0,
}

const nested = (depth: number): unknown => {
  let value: unknown = 1
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { a: value }
  return value
}

/** Any of them may stand in any field. */
export const HOSTILE_VALUES: ReadonlyArray<unknown> = [
  null,
  true,
  false,
  0,
  -0,
  -1,
  1,
  1.5,
  2 ** 31,
  2 ** 53,
  -(2 ** 53),
  1e21,
  1e300,
  -1e-300,
  "",
  " ",
  "x",
  "x".repeat(129),
  "x".repeat(5_000),
  "\u{1f600}".repeat(200),
  [],
  [[]],
  [null],
  ["MOCK:BTC/USDT", "MOCK:BTC/USDT"],
  Array.from({ length: 200 }, () => "MOCK:BTC/USDT"),
  {},
  { $gt: "" },
  { length: 1e9 },
  { toString: null, valueOf: null },
  nested(10),
  nested(31),
  nested(40),
  "00000000-0000-0000-0000-000000000000",
  "0198f3a2-5b1c-7c3e-9d2f-6a1b0c2d3e4f",
  "0198F3A2-5B1C-7C3E-9D2F-6A1B0C2D3E4F",
  "MOCK:BTC/USDT",
  "MOCK:../../etc",
  "undefined",
  "[object Object]",
  ...BAD_DECIMALS.filter((text) => text.length < 60),
  ...GOOD_DECIMALS,
  ...UNSTORABLE_TEXTS,
  ...ODD_TEXTS,
  ...SQL_TEXTS,
  ...PROTOTYPE_KEYS,
  ...URLS,
]
