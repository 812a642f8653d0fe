/** A line of a document: what it is, and what it says. */
export type Fact = { readonly label: string; readonly value: string; readonly link?: string }

type Said = readonly [label: string, value: string | null | undefined]

/** Those of some facts that say something. */
export function some(facts: readonly Said[]): readonly Fact[] {
  return facts.flatMap(([label, value]) => (value ? [{ label, value }] : []))
}
