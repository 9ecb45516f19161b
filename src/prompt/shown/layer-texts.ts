import { BREAK, type LayerReport, type Prompt } from '../prompt.ts'

/**
 * The text that each layer has in a prompt, exactly as it is sent; empty for a layer that was dropped. Undefined where the
 * lengths of the layers are not known, or do not give the text: then only the whole can be shown.
 */
export function layerTexts({
  layers,
  system,
  context,
}: Pick<Prompt, 'layers' | 'system' | 'context'>): ReadonlyMap<LayerReport, string> | undefined {
  const inSystem = cut(system, layersIn(layers, 'system'))
  const inContext = cut(context, layersIn(layers, 'context'))
  return inSystem && inContext ? new Map([...inSystem, ...inContext]) : undefined
}

const layersIn = (
  layers: readonly LayerReport[],
  placement: LayerReport['placement'],
): readonly LayerReport[] => layers.filter((layer) => layer.placement === placement)

function cut(
  whole: string,
  layers: readonly LayerReport[],
): readonly (readonly [LayerReport, string])[] | undefined {
  const texts: [LayerReport, string][] = []
  let at = 0
  for (const layer of layers) {
    if (layer.length === undefined) return undefined
    if (at > 0 && layer.length > 0) at += BREAK.length
    texts.push([layer, whole.slice(at, at + layer.length)])
    at += layer.length
  }
  return at === whole.length ? texts : undefined
}
