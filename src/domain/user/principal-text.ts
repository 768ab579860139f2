/** A principal as one node tells it to another: between processes that believe each other. */
import type { TradingAccountId } from "../ids.ts"
import type { KeyTerms, Principal } from "./user.ts"

type Told = Omit<Principal, "key"> & {
  readonly key: (Omit<KeyTerms, "accounts"> & { readonly accounts: ReadonlyArray<TradingAccountId> | null }) | null
}

export const principalText = (principal: Principal): string => {
  const { key } = principal
  const told: Told = {
    ...principal,
    key: key === null ? null : { keyId: key.keyId, accounts: key.accounts === null ? null : [...key.accounts] },
  }
  return JSON.stringify(told)
}

export const readPrincipal = (text: string): Principal => {
  const { key, ...told } = JSON.parse(text) as Told
  const terms: KeyTerms | null =
    key === null ? null : { keyId: key.keyId, accounts: key.accounts === null ? null : new Set(key.accounts) }
  return { ...told, key: terms } as Principal
}
