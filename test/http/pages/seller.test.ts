import { beforeAll, describe, expect, test } from 'bun:test'
import { checks, verify } from '../../../src/verify/verify-receipt.ts'
import { createdInvoice } from '../../support/app.ts'
import { inspectPdf } from '../../support/pdf.ts'
import { square, svgUrl } from '../../support/pictures.ts'
import { eventually } from '../../support/wait.ts'
import { useWorld } from '../../support/world.ts'

const wallet = '0x00000000000000000000000000000000000000aa'
const { app, node } = useWorld({
  chains: ['base'],
  funded: [1],
  anchored: true,
  blockTimeSeconds: 1,
  env: { BASE_WALLET: wallet, BASE_CONFIRMATIONS: '1' },
})
const profile = {
  ...{ name: 'Grace Example GmbH', country: 'DE', logo: svgUrl(square) },
  ...{ email: 'billing@example.com', website: 'https://example.com/shop' },
}
const get = (path: string, headers = {}) =>
  fetch(new URL(path, app.url), { headers, redirect: 'manual' })
let open: { id: string }

beforeAll(async () => {
  await app.send('PUT', '/api/account/profile', profile)
  open = await createdInvoice(app, { amount: 61.25 })
})

describe('who is paid', () => {
  test('the payment page shows seller and logo, which comes from its own origin', async () => {
    const page = await (await get(`/pay/${open.id}`)).text()
    expect(page).toContain('Grace Example GmbH\nGermany')
    const { json } = await app.keyless('GET', `/pay/${open.id}/status`)
    const logo = await get(json.sellerLogo)
    const { headers } = logo
    expect([logo.status, headers.get('content-type'), headers.get('x-robots-tag')]).toEqual([
      200,
      'image/png',
      'noindex',
    ])
    const bytes = Buffer.from(await logo.arrayBuffer())
    expect(bytes.toString('latin1', 1, 4)).toBe('PNG')
  })

  test('nothing of the profile is said of another seller', async () => {
    const { id } = await createdInvoice(app, { amount: 61.26, sellerName: 'Another Seller SARL' })
    const { json } = await app.keyless('GET', `/pay/${id}/status`)
    const other = { sellerEmail: null, sellerWebsite: null, sellerLogo: null }
    expect(json).toMatchObject({ ...other, sellerAddress: null, sellerVat: null })
    expect((await get(`/pay/${id}/logo`)).status).toBe(404)
    const pdf = await (await get(`/pay/${id}/invoice.pdf`)).arrayBuffer()
    expect(Buffer.from(pdf).toString('latin1')).not.toContain('/Subtype /Image')
  })

  test('anybody with the link can download the PDF, with the logo, in their language', async () => {
    const answer = await get(`/pay/${open.id}/invoice.pdf`, { 'accept-language': 'fr' })
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-language')).toBe('fr')
    expect(answer.headers.get('x-robots-tag')).toBe('noindex')
    const bytes = new Uint8Array(await answer.arrayBuffer())
    expect(inspectPdf(bytes).isPdf).toBe(true)
    expect(Buffer.from(bytes).toString('latin1')).toContain('/Subtype /Image')
    // The buyer is hidden on purpose.
    expect(answer.headers.get('x-document-warnings')).toBeNull()
    const { attachment } = inspectPdf(bytes)
    expect(JSON.stringify(attachment)).not.toContain('ada@example.com')
    const tag = answer.headers.get('etag') ?? ''
    const again = () =>
      get(`/pay/${open.id}/invoice.pdf`, { 'accept-language': 'fr', 'if-none-match': tag })
    expect((await again()).status).toBe(304)
    await app.send('PUT', '/api/account/profile', { logo: svgUrl('<circle r="9"/>') })
    expect((await again()).status).toBe(200)
    await app.send('PUT', '/api/account/profile', profile)
  })

  test.each(['invoice.pdf', 'receipt', 'receipt/anchor', 'logo'])(
    '%s of no invoice is 404',
    async (name) => {
      expect((await get(`/pay/${Bun.randomUUIDv7()}/${name}`)).status).toBe(404)
      expect((await get(`/pay/nothing/${name}`)).status).toBe(404)
    },
  )
})

describe('the receipt page', () => {
  test('of an open invoice leads to the payment page', async () => {
    const { status, headers } = await get(`/pay/${open.id}/receipt`)
    expect([status, headers.get('location')]).toEqual([302, `/pay/${open.id}`])
    expect((await app.keyless('GET', `/pay/${open.id}/receipt/anchor`)).json).toEqual({})
  })

  test('of a paid one says who was paid, what and when, and how to check it', async () => {
    const { id, paymentDetails } = await createdInvoice(app, { amount: 12.5, customerName: 'Ada' })
    const hash = await node.transfer({
      from: node.wallet(1).address,
      to: wallet,
      usdcBase: 12_500_000n,
      reference: paymentDetails.reference,
    })
    let page = ''
    await eventually(async () => {
      page = await (await get(`/pay/${id}/receipt`, { 'accept-language': 'en' })).text()
      return page.includes('Anchor transaction')
    })
    const { receiptId } = (await app.keyless('GET', `/pay/${id}/status`)).json
    const bundle = (await app.keyless('GET', `/v1/public/receipts/${receiptId}/bundle`)).json
    for (const said of [
      ...['12.50 USDC', 'Grace Example GmbH', 'Receipt for INV-', receiptId, bundle.hash],
      ...[`https://basescan.org/tx/${hash}`, 'How to check it yourself', bundle.anchor.contract],
      ...[
        `href="https://basescan.org/tx/${bundle.anchor.txHash}"`,
        'to Grace Example GmbH, paid on ',
      ],
      `class="button primary" href="/v1/public/receipts/${receiptId}/bundle" download="`,
      `href="/pay/${id}/invoice.pdf"`,
      ...[paymentDetails.usdcAddress, `quittance verify-receipt ${receiptId}.json`],
    ])
      expect(page.toLowerCase()).toContain(said.toLowerCase())
    const facts = (await app.keyless('GET', `/pay/${id}/receipt/anchor`)).json
    const { anchor } = (await app.keyless('GET', '/.well-known/quittance')).json
    const { contract } = bundle.anchor
    const senders = [expect.stringMatching(/^0x[0-9a-f]{40}$/)]
    expect(anchor).toEqual({ chainId: 8453, contract, senders })
    const passed: string[] = []
    const verdict = await verify(
      bundle,
      async (method) => facts[method],
      anchor,
      (check) => {
        passed.push(check)
      },
    )
    expect([verdict.ok, passed]).toEqual([true, [...checks]])
    expect(page).toMatch(/<script type="module" src="\/assets\/receipt-checks-[^"]*\.js">/)
    const german = await get(`/pay/${id}/receipt`, { 'accept-language': 'de' })
    expect(german.headers.get('content-language')).toBe('de')
    expect(await german.text()).toContain('So prüfen Sie sie selbst')
    const { headers } = german
    expect([headers.get('x-robots-tag'), headers.get('content-security-policy')]).toEqual([
      'noindex',
      expect.stringContaining("default-src 'none'"),
    ])
    expect(await (await get(`/pay/${id}`)).text()).toContain(`href="/pay/${id}/receipt"`)
  })
})
