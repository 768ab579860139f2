/**
 * The addresses a user may connect from: any, unless the user or its tenant has a list; with both, an address must be on both. In memory, checked
 * on every request; read from the store at start, and again for users and tenants that the command line changed.
 */
import { BlockList } from "node:net"
import type { TenantId, UserId } from "../../domain/ids.ts"
import type { NetworksOf } from "../../store/users/allowed-networks.ts"

export interface Caller {
  /** Null: not identified yet. */
  readonly userId: UserId | null
  readonly tenantId: TenantId
}

/** Where a request came from. Read only if any user or tenant has a list: finding the client behind a proxy costs. */
export interface From {
  /** An address that is none is on no list. */
  readonly ip: string
}

/** A look-up in node's list costs 3 µs, and most callers come from one address. */
export class Networks {
  readonly #list = new BlockList()
  #last = ""
  #isLastOn = false

  constructor(networks: ReadonlyArray<string>) {
    for (const network of networks) {
      const [address = "", bits] = network.split("/")
      this.#list.addSubnet(address, Number(bits), address.includes(":") ? "ipv6" : "ipv4")
    }
  }

  has(ip: string): boolean {
    if (ip === this.#last) return this.#isLastOn
    this.#isLastOn = this.#list.check(ip, ip.includes(":") ? "ipv6" : "ipv4")
    this.#last = ip
    return this.#isLastOn
  }
}

export class AllowedAddresses {
  readonly #users = new Map<UserId, Networks>()
  readonly #tenants = new Map<TenantId, Networks>()

  /** In the store's spelling, `203.0.113.0/24`; none: from everywhere. */
  set(whose: NetworksOf, networks: ReadonlyArray<string>): void {
    if ("userId" in whose) replace(this.#users, whose.userId, networks)
    else replace(this.#tenants, whose.tenantId, networks)
  }

  allows({ userId, tenantId }: Caller, from: From): boolean {
    if (this.#users.size === 0 && this.#tenants.size === 0) return true
    const own = userId === null ? undefined : this.#users.get(userId)
    const shared = this.#tenants.get(tenantId)
    return (own === undefined || own.has(from.ip)) && (shared === undefined || shared.has(from.ip))
  }
}

const replace = <Id>(lists: Map<Id, Networks>, id: Id, networks: ReadonlyArray<string>): void => {
  if (networks.length === 0) lists.delete(id)
  else lists.set(id, new Networks(networks))
}
