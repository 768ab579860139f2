/** Instruments as tests and benches need them: cents and thousandths, without limits above; a test changes what it is about. */
import { Decimal } from "../../../src/domain/decimal.ts"
import type { InstrumentId } from "../../../src/domain/ids.ts"
import { type Instrument, parseInstrumentId } from "../../../src/domain/instrument/instrument.ts"

/** `<VENUE>:<BASE>/<QUOTE>` as an instrument. */
export const instrumentOf = (instrumentId: string, change: Partial<Instrument> = {}): Instrument => ({
  instrumentId: instrumentId as InstrumentId,
  tenantId: null,
  ...parseInstrumentId(instrumentId)!,
  securityType: "CRYPTO",
  tickSize: Decimal.of("0.01"),
  lotSize: Decimal.of("0.001"),
  minQuantity: Decimal.of("0.001"),
  maxQuantity: null,
  minNotional: null,
  precision: 2,
  scale: 3,
  status: "ACTIVE",
  ...change,
})
