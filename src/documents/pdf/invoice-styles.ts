import { StyleSheet } from '@react-pdf/renderer'

export const sans = 'sans'

/** In points. */
export const textSize = 9
export const narrowestColumn = 150
const figurePadding = 5

const ink = '#16202a'
const quiet = '#66717d'
const hairline = '#d9dee3'
const paper = '#f5f7f8'

export const tones = StyleSheet.create({
  open: { color: '#1f4e8c', backgroundColor: '#e8f0fa' },
  pending: { color: '#8a5a00', backgroundColor: '#fdf3dd' },
  done: { color: '#17663a', backgroundColor: '#e5f4ea' },
  closed: { color: quiet, backgroundColor: '#edf0f2' },
})

/** Lengths are in points. */
export const styles = StyleSheet.create({
  page: {
    fontFamily: sans,
    fontSize: textSize,
    lineHeight: 1.45,
    color: ink,
    paddingTop: 52,
    paddingBottom: 64,
    paddingHorizontal: 52,
  },
  stampBox: {
    position: 'absolute',
    // Below the text of most invoices, where panels do not cover it.
    top: 600,
    left: 0,
    right: 0,
    alignItems: 'center',
  },
  stamp: {
    fontWeight: 700,
    lineHeight: 1.2,
    letterSpacing: 8,
    color: ink,
    opacity: 0.06,
    transform: 'rotate(-28deg)',
  },
  logo: { height: 44, maxWidth: 190, objectFit: 'contain', objectPositionX: 0, marginBottom: 16 },
  heading: {
    flexDirection: 'row',
    justifyContent: 'space-between',
    alignItems: 'flex-start',
    marginBottom: 30,
  },
  title: { fontSize: 25, fontWeight: 700, lineHeight: 1.2 },
  number: { fontSize: 11, color: quiet },
  badge: {
    fontWeight: 700,
    paddingTop: 6,
    paddingBottom: 3,
    paddingHorizontal: 10,
    borderRadius: 9,
  },
  parties: { flexDirection: 'row', marginBottom: 28 },
  party: { width: 170, paddingRight: 18 },
  label: { fontSize: 7.5, color: quiet, marginBottom: 1 },
  name: { fontWeight: 700 },
  facts: { flex: 1 },
  fact: { marginBottom: 6 },
  itemHead: {
    flexDirection: 'row',
    fontSize: 7.5,
    color: quiet,
    paddingBottom: 4,
    marginBottom: 4,
    borderBottomWidth: 1,
    borderBottomColor: ink,
  },
  item: {
    flexDirection: 'row',
    paddingTop: 4,
    paddingBottom: 8,
    borderBottomWidth: 0.75,
    borderBottomColor: hairline,
  },
  description: { flex: 1, paddingRight: 12 },
  // A margin of the items would make the paginator move all of them to the next page.
  totals: { width: 240, marginTop: 12, marginLeft: 'auto', marginBottom: 28 },
  wideTotals: { width: 330, marginTop: 12, marginLeft: 'auto', marginBottom: 28 },
  totalLine: { flexDirection: 'row', justifyContent: 'space-between', paddingVertical: 2 },
  totalLabel: { color: quiet, flex: 1, paddingRight: 10 },
  totalValue: { textAlign: 'right' },
  grandTotal: {
    flexDirection: 'row',
    justifyContent: 'space-between',
    fontSize: 12,
    fontWeight: 700,
    marginTop: 5,
    paddingTop: 6,
    borderTopWidth: 1,
    borderTopColor: ink,
  },
  panel: {
    flexDirection: 'row',
    padding: 16,
    marginBottom: 14,
    borderRadius: 6,
    backgroundColor: paper,
  },
  settled: { backgroundColor: '#f0f8f3' },
  panelText: { flex: 1 },
  panelHeading: { fontSize: 11, fontWeight: 700, marginBottom: 6 },
  detail: { flexDirection: 'row', marginBottom: 2 },
  detailLabel: { width: 84, color: quiet },
  detailValue: { flex: 1 },
  link: { flex: 1, color: '#1f4e8c', textDecoration: 'none' },
  qr: { width: 112, height: 112, marginLeft: 16 },
  hint: { marginTop: 5 },
  note: { color: quiet, fontSize: 8 },
  footer: {
    position: 'absolute',
    // Not `bottom`: the paginator loses elements positioned from the bottom.
    top: 796,
    left: 52,
    right: 52,
    flexDirection: 'row',
    justifyContent: 'space-between',
    fontSize: 7.5,
    color: quiet,
  },
})

/** The columns beside the description, in the flat form. */
export const narrow = columnsOf({ quantity: 40, figure: 104, rate: 38 })

/** The same with room for units and for the names of tax categories. */
export const wide = columnsOf({ quantity: 62, figure: 86, rate: 72 })

function columnsOf(widths: Readonly<Record<'quantity' | 'figure' | 'rate', number>>) {
  const { quantity, figure, rate } = widths
  return {
    quantity: { width: quantity, paddingLeft: figurePadding, textAlign: 'right' as const },
    // Where the number needs all of it, the currency wraps to the next line.
    figure: { width: figure, paddingLeft: figurePadding, textAlign: 'right' as const },
    rate: { width: rate, paddingLeft: rate > 40 ? 6 : 0, textAlign: 'right' as const },
  }
}

/** The size of a number, which does not wrap, in a column of this width. */
export function figureSize(text: string, width: number): number {
  const longest = Math.max(...text.split(' ').map((word) => word.length))
  // Digits and commas are 0.55 of the font size wide on average.
  return Math.min(textSize, (width - figurePadding) / (0.55 * longest))
}
