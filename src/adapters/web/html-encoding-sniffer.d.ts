declare module 'html-encoding-sniffer' {
  /** The encoding of a document (HTML standard, 13.2.3.2), by its name in the encoding standard. */
  export default function sniff(
    bytes: Uint8Array,
    options: { readonly transportLayerEncodingLabel?: string; readonly defaultEncoding: string },
  ): string
}
