/**
 * `bun demo/picture.ts`: draws the pictures of the README from a real run of the demo. Writes
 * `docs/demo.svg`, each step at the time at which it ended, and `docs/payment-page.png`, which
 * needs Chromium.
 */
import { startBrowser } from '../test/support/browser.ts'

type Line = { readonly endMs: number; readonly duration: string; readonly text: string }

const root = Bun.fileURLToPath(new URL('../', import.meta.url))
const lineHeight = 26
/** How long the finished list stays before it starts again. */
const restMs = 6_000

const demo = Bun.spawn([process.execPath, '--no-orphans', 'demo/main.ts', '--keep'], {
  cwd: root,
  stdout: 'pipe',
  stderr: 'inherit',
})
try {
  const said = await firstWords()
  await Bun.write(`${root}docs/demo.svg`, drawn(stepsIn(said), /^Done in .*$/m.exec(said)?.[0]))
  const [url, key] = ['QUITTANCE_URL', 'QUITTANCE_KEY'].map(
    (name) => new RegExp(`export ${name}=(\\S+)`).exec(said)?.[1] ?? '',
  )
  await photographPaymentPage(url ?? '', key ?? '')
} finally {
  demo.kill('SIGINT')
  await demo.exited
}

async function firstWords(): Promise<string> {
  let said = ''
  for await (const chunk of demo.stdout.pipeThrough(new TextDecoderStream())) {
    said += chunk
    if (/export RPC_URL=.*\n/.test(said)) return said
  }
  throw new Error(`the demo ended early:\n${said}`)
}

function stepsIn(said: string): readonly Line[] {
  let endMs = 0
  return Array.from(said.matchAll(/^ok +([\d.]+ s) {2}(.*)$/gm), ([, duration = '', text = '']) => {
    endMs += 1_000 * Number.parseFloat(duration)
    return { endMs, duration, text: text.replace(/\b(\w{2,5}_|0x)?[\w-]{24,}\b/g, shortened) }
  })
}

function shortened(id: string): string {
  return `${id.slice(0, 12)}…`
}

function drawn(steps: readonly Line[], outcome = ''): string {
  const runMs = steps.at(-1)?.endMs ?? 0
  const shown = [...steps, { endMs: runMs, duration: '', text: outcome }]
  const periodMs = runMs + restMs
  const height = lineHeight * (shown.length + 1) + 66
  const appearances = shown.map(({ endMs }, at) => {
    const percent = ((100 * endMs) / periodMs).toFixed(2)
    return `@keyframes step${at}{0%,${percent}%{opacity:0}${Number(percent) + 0.5}%,100%{opacity:1}}
.step${at}{animation:step${at} ${periodMs / 1_000}s infinite}`
  })
  const lines = shown.map(({ duration, text }, at) => {
    const [title = '', result] = text.split(/: (?=\S+$|matched)/)
    const y = 62 + lineHeight * (at + 1)
    const mark = duration === '' ? '' : `<tspan class="ok">✓</tspan>`
    const rest = result ? ` <tspan class="dim">${escaped(result)}</tspan>` : ''
    return `<g class="step${at}"><text x="24" y="${y}">${mark}</text>
<text x="112" y="${y}" class="dim" text-anchor="end">${duration}</text>
<text x="128" y="${y}">${escaped(title)}${rest}</text></g>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 860 ${height}" role="img" aria-label="npm run demo: from an invoice to a verified receipt">
<style>
text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#1f2328}
rect{fill:#f6f8fa;stroke:#d1d9e0}.dim{fill:#59636e}.ok{fill:#1a7f37}
@media(prefers-color-scheme:dark){text{fill:#e6edf3}rect{fill:#161b22;stroke:#30363d}.dim{fill:#8b949e}.ok{fill:#3fb950}}
${appearances.join('\n')}
@media(prefers-reduced-motion:reduce){g{animation:none!important}}
</style>
<rect x="0.5" y="0.5" width="859" height="${height - 1}" rx="8"/>
<text x="24" y="40"><tspan class="dim">$</tspan> npm run demo</text>
${lines.join('\n')}
</svg>
`
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}

async function photographPaymentPage(url: string, key: string): Promise<void> {
  const response = await fetch(`${url}/v1/invoices`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({
      amount: 12.5,
      currency: 'USDC',
      chain: 'base',
      customerName: 'Ada Example',
      sellerName: 'Grace Example GmbH',
      customerEmail: 'ada@example.com',
      serviceDescription: 'Translation of one contract',
    }),
  })
  const { data } = (await response.json()) as { data: { id: string } }
  const browser = await startBrowser()
  try {
    const page = await browser.newPage({ viewport: { width: 480, height: 620 } })
    await page.goto(`${url}/pay/${data.id}`)
    await page.waitForLoadState('networkidle')
    await page.screenshot({ path: `${root}docs/payment-page.png`, fullPage: true })
  } finally {
    await browser.close()
  }
}
