declare module 'html-encoding-sniffer' {
  /** Returns a document's encoding (HTML standard, 13.2.3.2) by its standard name. */
  export default function sniff(
    bytes: Uint8Array,
    options: { readonly transportLayerEncodingLabel?: string; readonly defaultEncoding: string },
  ): string
}
