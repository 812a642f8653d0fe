import type { ChainFault } from '../../src/chain/chain.ts'

/** A provider's literal error and the fault it stands for; `status` is 200 by default. */
export type ProviderWords = {
  readonly by: string
  readonly fault: ChainFault
  readonly code: number
  readonly message: string
  readonly status: number
}

/** From the issues and error tables of clients that talk to these providers. */
export const providerWords: readonly ProviderWords[] = [
  ...said('range_refused', [
    [
      'Alchemy',
      -32602,
      'Log response size exceeded. You can make eth_getLogs requests with up to a 2K block range and no limit on the response size, or you can request any block range with a cap of 10K logs in the response. Based on your parameters and the response size limit, this block range should work: [0x0, 0xd043b8]',
    ],
    [
      'Alchemy, pay as you go',
      -32600,
      'You can make eth_getLogs requests with up to a 500 block range. Based on your parameters, this block range should work: [0x123c9b2, 0x123cba5]',
    ],
    [
      'Alchemy, free',
      -32600,
      'Under the Free tier plan, you can make eth_getLogs requests with up to a 10 block range. Based on your parameters, this block range should work: [0x1, 0xa]. Upgrade to PAYG for expanded block range.',
    ],
    [
      'Infura, results',
      -32005,
      'query returned more than 10000 results. Try with this block range [0xBDE5F8, 0x102DBCC].',
    ],
    ['Infura, blocks', -32602, 'range 1000000 exceeds limit of 10000'],
    ['QuickNode', -32614, 'eth_getLogs is limited to a 10,000 range'],
    ['QuickNode, free', -32615, 'eth_getLogs is limited to a 5 range'],
    ['Ankr', -32600, 'block range is too wide'],
    ['Ankr, by number', -32600, 'maximum [from, to] blocks distance: 1000'],
    ['Ankr, BSC', -32000, 'exceed maximum block range: 5000'],
    [
      'Ankr, results',
      -32602,
      'query exceeds max results 20000, retry with the range 59066104-59066970',
    ],
    ['Chainstack', -32002, 'Block range limit exceeded. See more details at our documentation.'],
    ['dRPC, free', 35, 'ranges over 10000 blocks are not supported on freetier'],
    ['dRPC, free plan', 35, 'ranges over 10000 blocks are not supported on free plan'],
    ['BlastAPI', -32600, 'eth_getLogs is limited to a 10 block range'],
    [
      'BlastAPI, paid',
      -32600,
      'The requested block range exceeds the range allowed for your plan (5001 > 5000).',
    ],
    ['Cloudflare', -32047, 'Invalid eth_getLogs request. Max range: 800'],
    ['base.org', -32614, 'block range too large'],
    ['base.org, backend', -32020, 'backend response too large'],
    ['OP Labs', -32000, 'Block range is too large'],
    ['Coinbase', -32000, 'please limit the query to at most 1000 blocks'],
    ['polygon-rpc.com', -32000, 'block range exceeds configured limit'],
    ['Arbitrum', -32000, 'logs matched by query exceeds limit of 10000'],
    ['PublicNode', -32701, 'exceed maximum block range: 50000'],
    ['BlockPI', -32602, 'eth_getLogs is limited to 1024 block range. Please check the parameter.'],
    ['LlamaRPC', -32602, 'query exceeds max block range 100000'],
    ['1RPC', -32602, 'response size should not greater than 10000000 bytes'],
    ['thirdweb', -32602, 'Maximum allowed number of requested blocks is 1000, but requested 3000'],
    ['Merkle', -32602, 'eth_getLogs range is too large, max is 10k blocks'],
    ['Tenderly', -32602, 'query returned more than 20000 results'],
    ['Avalanche', -32000, 'requested too many blocks from 1 to 20000, maximum is set to 2048'],
    ['geth, size', -32003, 'response too large'],
    ['Moonriver', -32000, 'block range is too wide (maximum 1024)'],
    ['nethermind', -32005, 'Too many logs requested. Max logs per response is 20000.'],
    ['reth', -32602, 'query exceeds max block range 5000'],
    ['Swell', -32000, 'block range greater than 10000 max'],
    ['Candle', -32600, 'block range too high'],
    [
      'Morph',
      -32000,
      'block range is larger than max block range, block range = 5120, max block range = 5000',
    ],
    ['Harmony', -32000, 'query must be smaller than size 1024'],
    ['BSC', -32005, 'limit exceeded'],
    ['Agave', -32602, 'Slot range too large; max 500000'],
  ]),
  ...said('rate_limited', [
    [
      'Alchemy',
      429,
      'Your app has exceeded its compute units per second capacity. If you have retries enabled, you can safely ignore this message. If not, check out https://docs.alchemy.com/reference/throughput',
      429,
    ],
    [
      'Alchemy, month',
      429,
      'Monthly capacity limit exceeded. Visit https://dashboard.alchemy.com/settings/billing to upgrade your scaling policy for continued service.',
      429,
    ],
    ['Infura', -32005, 'daily request count exceeded, request rate limited', 429],
    ['Infura, project', -32005, 'project ID request rate exceeded', 429],
    ['QuickNode', -32007, '50/second request limit reached - reduce calls per second or upgrade'],
    ['QuickNode, credits', -32012, 'credits limited to 6000/sec'],
    ['QuickNode, day', -32003, 'daily request limit reached - upgrade your account to continue'],
    ['Ankr', -32090, 'Too many requests, reason: call rate limit exhausted, retry in 10s'],
    ['Chainstack', -32005, "You've exceeded the RPS limit available on the current plan."],
    ['dRPC', 15, 'Too many request, try again later'],
    ['BlastAPI', -32029, 'Too Many Requests', 429],
    ['base.org', -32016, 'over rate limit'],
    ['OnFinality', -32029, 'Too Many Requests, Please apply an OnFinality API key or contact us'],
    ['polygon-rpc.com', -32090, 'Too many requests, reason: call rate limit exhausted'],
    ['a gateway', -32000, 'the network is under too much load, please try again'],
    ['Helius', -32429, 'rate limited', 429],
    ['Helius, month', -32429, 'max usage reached', 429],
    ['a provider, day', -32000, 'daily limit exceeded'],
    ['Solana, plan', -32005, 'Usage limit exceeded', 402],
    ['Solana', 429, 'Too many requests for a specific RPC call', 429],
    ['Solana, connections', 429, 'Connection rate limits exceeded', 429],
  ]),
  ...said('lagging', [
    ['Alchemy', -32000, 'block range extends beyond current head block'],
    [
      'Alchemy, Arbitrum',
      -32000,
      'One of the blocks specified in filter (fromBlock, toBlock or blockHash) cannot be found.',
    ],
    ['geth', -32000, 'invalid block range params'],
    ['geth, header', -32000, 'header not found'],
    ['geth, hash', -32000, 'unknown block'],
    ['erigon', -32000, 'block not found: 21000000'],
    ['nethermind', -32001, 'Unknown block: fromBlock 0x1406f40'],
    ['anvil', -32602, 'BlockOutOfRangeError: block height is 10 but requested was 15'],
    ['Agave', -32005, 'Node is behind by 153 slots'],
    ['Agave, health', -32005, 'Node is unhealthy'],
    ['Agave, block', -32004, 'Block not available for slot 415000000'],
    ['Agave, status', -32014, 'Block status not yet available for slot 415000000'],
    ['Agave, context', -32016, 'Minimum context slot has not been reached'],
  ]),
  ...said('unreachable', [
    ['Infura, time', -32005, 'query timeout exceeded'],
    [
      'dRPC, time',
      30,
      'Request timeout on the free tier, please upgrade your tier to the paid one',
    ],
    ['geth, time', -32002, 'request timed out'],
    ['nethermind, time', -32016, 'eth_getLogs request was canceled due to enabled timeout.'],
    ['a gateway', -32603, 'upstream request timeout', 504],
    ['Solana, a gateway', -32504, 'Request timed out', 504],
    ['base.org', -32011, 'no backend is currently healthy to serve traffic', 503],
    ['Cloudflare', -32603, 'Internal error', 500],
    ['anybody', -32603, 'Internal error'],
  ]),
  ...said('invalid_answer', [
    ['Infura', -32002, 'project ID does not have access to this network'],
    ['Alchemy', -32600, 'Must be authenticated!', 401],
    ['geth, of a contract', 3, 'execution reverted: too many requests, rate limit exceeded'],
    ['a fork of geth, of a contract', -32000, 'execution reverted: block range too large'],
    ['anybody, method', -32601, 'the method eth_getLogs does not exist/is not available'],
  ]),
]

type Row = readonly [by: string, code: number, message: string, status?: number]

function said(fault: ChainFault, rows: readonly Row[]): ProviderWords[] {
  return rows.map(([by, code, message, status = 200]) => ({ by, fault, code, message, status }))
}
