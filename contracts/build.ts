import solc from 'solc'

const artifactUrl = new URL('../src/chain/anchor-artifact.json', import.meta.url)

/**
 * Compiles `Anchor.sol` to the text of the artifact that is checked in. The same compiler gives the same bytes on every
 * machine: no metadata hash, and instructions of the oldest EVM version the compiler still serves, which SKALE runs too.
 */
export async function buildArtifact(): Promise<string> {
  const source = await Bun.file(new URL('Anchor.sol', import.meta.url)).text()
  const output = JSON.parse(
    solc.compile(
      JSON.stringify({
        language: 'Solidity',
        sources: { 'Anchor.sol': { content: source } },
        settings: {
          optimizer: { enabled: true, runs: 1_000 },
          evmVersion: 'london',
          metadata: { bytecodeHash: 'none', appendCBOR: false },
          outputSelection: { 'Anchor.sol': { Anchor: ['abi', 'evm.bytecode.object'] } },
        },
      }),
    ),
  )
  if (output.errors?.length) {
    throw new Error(
      output.errors
        .map(({ formattedMessage }: { formattedMessage: string }) => formattedMessage)
        .join('\n'),
    )
  }
  const { abi, evm } = output.contracts['Anchor.sol'].Anchor
  const artifact = { abi, bytecode: `0x${evm.bytecode.object}`, compiler: solc.version() }
  return `${JSON.stringify(artifact, null, 2)}\n`
}

if (import.meta.main) await Bun.write(artifactUrl, await buildArtifact())
