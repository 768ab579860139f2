/** Networks as operators and users write them: what is refused, of a new one and of one that is on a list already. */
import { expect, it } from "vitest"
import { networkFault, newNetworkFault } from "../../../src/foundation/network.ts"

it.each(["203.0.113.7", "203.0.113.0/24", "0.0.0.0/0", "2001:db8::/32", "::/0"])("%s is a network", (text) => {
  expect([networkFault(text), newNetworkFault(text)]).toEqual([undefined, undefined])
})

// The database writes no prefix with a leading zero, and refuses some of them.
it.each([
  "",
  "here",
  "1.2.3",
  "01.2.3.4",
  "1.2.3.4/33",
  "1.2.3.4/032",
  "1.2.3.4/",
  "1.2.3.4/8/8",
  "2001:db8::/129",
  "2001:db8::/032",
  "fe80::1%eth0",
])("%s is none", (text) => {
  expect(networkFault(text)).toEqual(expect.any(String))
  expect(newNetworkFault(text)).toEqual(expect.any(String))
})

it.each(["::ffff:10.0.0.1", "::ffff:a00:1", "0:0:0:0:0:FFFF:0A00:0001/128", "::ffff:0:0/96"])(
  "%s is put on no list, whatever its spelling, and goes from one",
  (text) => {
    expect(newNetworkFault(text)).toBe("write IPv4 addresses as IPv4")
    expect(networkFault(text)).toBeUndefined()
  },
)
