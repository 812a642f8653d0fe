import solc from 'solc'

type Compiled = {
  readonly abi: unknown
  readonly evm: Readonly<Record<'bytecode' | 'deployedBytecode', { readonly object: string }>>
}

/**
 * The contract of this name in a Solidity source. The same compiler gives the same bytes on every machine: no metadata hash, and
 * instructions of the oldest EVM version the compiler still serves, which SKALE runs too. Throws what the compiler complains of.
 */
export function compile(name: string, source: string): Compiled {
  const file = `${name}.sol`
  const outputs = ['abi', 'evm.bytecode.object', 'evm.deployedBytecode.object']
  const output = JSON.parse(
    solc.compile(
      JSON.stringify({
        language: 'Solidity',
        sources: { [file]: { content: source } },
        settings: {
          optimizer: { enabled: true, runs: 1_000 },
          evmVersion: 'london',
          metadata: { bytecodeHash: 'none', appendCBOR: false },
          outputSelection: { [file]: { [name]: outputs } },
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
  return output.contracts[file][name]
}
