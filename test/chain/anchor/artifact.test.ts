import { describe, expect, test } from 'bun:test'
import { buildArtifact } from '../../../contracts/build.ts'
import artifact from '../../../src/chain/anchor/artifact.json' with { type: 'json' }

const artifactFile = new URL('../../../src/chain/anchor/artifact.json', import.meta.url)

describe('the anchor contract', () => {
  test('that is deployed is the compiled source, byte for byte', async () => {
    expect(await Bun.file(artifactFile).text()).toBe(await buildArtifact())
  })

  test('names the parameters of its events as the specification does', () => {
    const events = artifact.abi.filter(({ type }) => type === 'event')
    const parameters = events.map(({ name, inputs }) => [
      name,
      ...inputs.map(
        (input) =>
          `${input.type} ${'indexed' in input && input.indexed ? 'indexed ' : ''}${input.name}`,
      ),
    ])
    expect(parameters).toEqual([
      [
        'MandateAnchored',
        'bytes32 indexed mandateHash',
        'string state',
        'uint256 ts',
        'address indexed sender',
      ],
      ['ReceiptRevoked', 'bytes32 indexed receiptHash', 'uint256 ts', 'address indexed sender'],
      [
        'ReceiptsAnchored',
        'bytes32 indexed root',
        'uint256 count',
        'uint256 ts',
        'address indexed sender',
      ],
    ])
  })
})
