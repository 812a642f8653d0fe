type Cell = readonly [code: string, unitsPerEur: string]

const usual: readonly Cell[] = [
  ['USD', '1.08'],
  ['JPY', '162.5'],
  ['GBP', '0.85'],
]

/** In the form in which the European Central Bank publishes a day's rates. */
export function ecbXml(day: string, cells: readonly Cell[] = usual): string {
  const rows = cells.map(([code, rate]) => `\t\t\t<Cube currency='${code}' rate='${rate}'/>`)
  return `<?xml version="1.0" encoding="UTF-8"?>
<gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01" xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref">
\t<gesmes:subject>Reference rates</gesmes:subject>
\t<gesmes:Sender>
\t\t<gesmes:name>European Central Bank</gesmes:name>
\t</gesmes:Sender>
\t<Cube>
\t\t<Cube time='${day}'>
${rows.join('\n')}
\t\t</Cube>
\t</Cube>
</gesmes:Envelope>`
}

export type Ecb = {
  readonly url: string
  /** How often it was asked. */
  reads: number
  answer: () => Response
  stop(): Promise<void>
}

/** Serves what `answer` makes. */
export function startEcb(): Ecb {
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch() {
      ecb.reads++
      return ecb.answer()
    },
  })
  const ecb: Ecb = {
    url: `http://127.0.0.1:${server.port}/eurofxref-daily.xml`,
    reads: 0,
    answer: () => new Response(ecbXml(dayAgo(0))),
    stop: () => server.stop(true),
  }
  return ecb
}

export function dayAgo(days: number): string {
  return new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)
}
