import { type Static, Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { Profiles } from '../../actors/profiles.ts'
import { logoFrom, logoUrl } from '../../documents/logo/logo.ts'
import type { Renderer } from '../../documents/pdf/render.ts'
import type { Profile } from '../../domain/accounts/profile.ts'
import { invalidField } from '../../domain/error.ts'
import { like, nullable } from '../openapi/doc-schemas.ts'
import { type Answer, byOf, type Docs, type Operations, unparsed } from '../operation.ts'
import { withoutQuery } from '../request/request-url.ts'
import { email, line, meant, prose } from '../request/validation.ts'
import { upperCase } from '../shared/invoice-fields.ts'

const SetProfile = Type.Object({
  name: clearable(line(256), 'The name under which the account sells.'),
  address: clearable(prose(500), 'The postal address without the country, in several lines.'),
  country: clearable(line(2), 'An ISO 3166 code of two letters such as `DE`.'),
  vat: clearable(line(64), 'The VAT registration number, such as `DE123456789`.'),
  email: clearable(email(), 'Where payers can ask.'),
  website: clearable(
    Type.String({
      maxLength: 256,
      pattern: '^https?://[^\\s<>"\\u0000-\\u001f\\u007f-\\u009f]+$',
      description: 'must be a URL that begins with https:// or http://',
    }),
    'The website of the seller.',
  ),
  logo: clearable(
    Type.String({ description: 'must be a data URL of a PNG or SVG of at most 64 KiB' }),
    'A PNG (at most 2,048 pixels wide and high) or an SVG of at most 64 KiB, as a base64 data URL. It is drawn anew, as a PNG of at most 512 × 256 pixels. An SVG has shapes, gradients and clipping only, and texts as paths.',
  ),
})

function clearable<Schema extends ReturnType<typeof Type.String>>(schema: Schema, about: string) {
  const rule = `${schema.description}, or null`
  return Type.Optional(meant(Type.Union([schema, Type.Null()], { description: rule }), about))
}

const path = '/api/account/profile'

const ShownProfile = Type.Object(
  {
    name: nullable(like('Grace Example GmbH')),
    address: nullable(like('2 Example Road\n10115 Berlin')),
    country: nullable(like('DE')),
    vat: nullable(like('DE123456788')),
    email: nullable(like('billing@example.com')),
    website: nullable(like('https://example.com')),
    logo: nullable(
      Type.String({
        description: 'The PNG that payers see, as a data URL.',
        examples: ['data:image/png;base64,iVBORw0KGgo='],
      }),
    ),
  },
  { $id: 'Profile' },
)

const getDocs: Docs = {
  summary: 'Who the account is',
  description: 'As payers read it. All null where nothing was set.',
  answers: { 200: ShownProfile },
  refusals: ['invalid_request'],
}

const putDocs: Docs = {
  summary: 'Change who the account is',
  description:
    'What is left out stays; null clears it. Name, address, country and VAT id are the default of every new invoice’s seller, within 5 seconds in every process; an invoice keeps what it was created with. Payment pages and PDFs show the logo of now. The audit log has every change.',
  exampleBody: { name: 'Grace Example GmbH', country: 'DE', website: 'https://example.com' },
  answers: { 200: ShownProfile },
  refusals: ['overloaded', 'unavailable'],
}

/** Longer than the renderer takes before it gives up. */
const drawSeconds = 20

/** Who an account is (contract P4). A key that may create invoices may name any seller anyway. */
export function profileRoutes(
  operation: Operations,
  { profiles, documents }: { readonly profiles: Profiles; readonly documents: Renderer },
) {
  return new Elysia()
    .get(
      path,
      operation({ scope: 'invoices:read', docs: getDocs }, async ({ principal, request }) => {
        withoutQuery(request.url)
        return show(principal.accountId, await profiles.of(principal.accountId))
      }),
    )
    .put(
      path,
      operation(
        { scope: 'invoices:write', body: SetProfile, maxSeconds: drawSeconds, docs: putDocs },
        async (call) => {
          const { accountId } = call.principal
          const { logo, country, website, ...rest } = call.body.value as Static<typeof SetProfile>
          const caller = { accountId, signal: call.request.signal }
          const change = {
            ...rest,
            ...(country !== undefined && { country: country && countryOf(country) }),
            ...(website !== undefined && { website: website && websiteOf(website) }),
            ...(logo !== undefined && {
              logo:
                logo === null ? null : await logoFrom(logo, (job) => documents.render(job, caller)),
            }),
          }
          return show(accountId, await profiles.change(accountId, change, byOf(call)))
        },
      ),
      unparsed,
    )

  async function show(accountId: string, profile: Profile): Promise<Answer> {
    const { logoHash, ...shown } = profile
    const logo = logoHash === null ? null : await profiles.logo(accountId)
    return { status: 200, body: JSON.stringify({ ...shown, logo: logo && logoUrl(logo) }) }
  }
}

const regions = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })

function countryOf(text: string): string {
  const code = upperCase('country', text)
  if (!regions.of(code)) throw invalidField('country', 'must be an ISO 3166 code of two letters')
  return code
}

function websiteOf(text: string): string {
  if (!URL.canParse(text)) throw invalidField('website', 'must be a URL')
  return text
}
