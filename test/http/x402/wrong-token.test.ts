import { expect, test } from 'bun:test'
import { eventually } from '../../support/wait.ts'
import { useWorld } from '../../support/world.ts'
import { publicUrl, sellerIn } from '../../support/x402-seller.ts'

/** A service configured with a token other than USDC, which has 18 decimals like most tokens. */

const other = `0x${'22'.repeat(20)}`
const { app, node } = useWorld({
  chains: ['base'],
  async env({ node }) {
    await node.rpc('anvil_setCode', [other, '0x601260005260206000f3'])
    return { PUBLIC_URL: publicUrl, BASE_USDC: other }
  },
})
const { payBy } = sellerIn({ app, node })

test('serves, says which chain is not watched and why, and sells nothing for that token', async () => {
  const readiness = async () => (await app.keyless('GET', '/readyz')).json
  const note = 'base is out of reach: wrong_token'
  await eventually(async () => (await readiness()).notes.includes(note))
  expect((await readiness()).status).toBe('ready')
  expect((await payBy(`0x${'33'.repeat(32)}`)).status).toBe(503)
})
