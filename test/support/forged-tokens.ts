import { decodeJwt, decodeProtectedHeader, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose'

type Header = { alg: string; kid?: string } & Record<string, unknown>

/** Tokens that differ from `genuine` in one respect each; `SAME` is only signed anew. */
export async function forgedTokens(genuine: string, secret: string) {
  const claims = decodeJwt(genuine)
  const header = decodeProtectedHeader(genuine) as Header
  const sign = (over: { claims?: JWTPayload; header?: Partial<Header>; secret?: string }) =>
    new SignJWT({ ...claims, ...over.claims })
      .setProtectedHeader({ ...header, ...over.header })
      .sign(new TextEncoder().encode(over.secret ?? secret))
  const nowSeconds = Math.floor(Date.now() / 1_000)
  const { exp: _, ...endless } = claims
  const jwk = { kty: 'oct', k: Buffer.from('attacker'.repeat(8)).toString('base64url') }
  return {
    SAME: await sign({}),
    JWT_ALG_NONE: new UnsecuredJWT(claims).encode(),
    JWT_WRONG_KEY: await sign({ secret: 'another secret of at least 32 characters' }),
    JWT_EXPIRED: await sign({ claims: { iat: nowSeconds - 7_200, exp: nowSeconds - 3_600 } }),
    JWT_NO_EXP: await new SignJWT(endless)
      .setProtectedHeader(header)
      .sign(new TextEncoder().encode(secret)),
    JWT_NBF_FUTURE: await sign({ claims: { nbf: nowSeconds + 3_600 } }),
    JWT_WRONG_ISS: await sign({ claims: { iss: 'somebody else' } }),
    JWT_KID_PATH: await sign({ header: { kid: '../../dev/null' } }),
    JWT_JWK_HEADER: await sign({ header: { jwk }, secret: 'attacker'.repeat(8) }),
  }
}
