import { networkInterfaces } from 'node:os'

/** Whether this machine has IPv6's loopback address. Tests that need it are skipped without. */
export const hasIPv6 = Object.values(networkInterfaces()).some((all) =>
  all?.some(({ address }) => address === '::1'),
)
