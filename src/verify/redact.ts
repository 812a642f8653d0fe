import { type Bundle, bundleIn, hidden } from './bundle.ts'

/** The bundle with all claims but those named hidden. Throws a `TypeError` if it cannot. */
export function redact(input: unknown, show: readonly string[]): Bundle {
  const bundle = bundleIn(input)
  if (!bundle) throw new TypeError('this is not a receipt bundle')
  const names = bundle.claims.flatMap((claim) => ('name' in claim ? claim.name : []))
  const unknown = show.find((name) => !names.includes(name))
  if (unknown !== undefined) throw new TypeError(`the bundle does not show '${unknown}'`)
  const { receiptId: _leadsToTheRest, ...rest } = bundle
  const claims = bundle.claims.map((claim) =>
    'name' in claim && show.includes(claim.name) ? claim : hidden(claim),
  )
  return { ...rest, claims }
}
