export type Results = Readonly<Record<string, string>>

/** Prints a line from which `bun run bench` updates the table of claims in `bench/README.md`. */
export function report(results: Results): void {
  console.log(JSON.stringify({ results }))
}

export function resultsIn(output: string): Results {
  const lines = output.split('\n').filter((line) => line.startsWith('{"results":'))
  return Object.assign(
    {},
    ...lines.map((line) => (JSON.parse(line) as { results: Results }).results),
  )
}
