/** Dealers as a caller may name them: those of its tenant. */
import type { DealerDirectory } from "../../actors/dealer/directory.ts"
import type { Dealer } from "../../domain/dealer/dealer.ts"
import { DealerNotFound } from "../../domain/errors/dealer.ts"
import type { DealerAccountId } from "../../domain/ids.ts"
import type { Principal } from "../../domain/user/user.ts"

export const dealerOf = (dealers: DealerDirectory, principal: Principal, id: string): Dealer | DealerNotFound => {
  const dealer = dealers.find(id.toLowerCase() as DealerAccountId)
  return dealer === undefined || dealer.tenantId !== principal.tenantId ? new DealerNotFound() : dealer
}
