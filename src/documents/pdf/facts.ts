/** A labelled value on a document. */
export type Fact = { readonly label: string; readonly value: string; readonly link?: string }

type Said = readonly [label: string, value: string | null | undefined]

/** The facts that have a value. */
export function some(facts: readonly Said[]): readonly Fact[] {
  return facts.flatMap(([label, value]) => (value ? [{ label, value }] : []))
}
