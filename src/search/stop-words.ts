/** Words of a query that say nothing about the tool that the user looks for. */
const STOP_WORDS = new Set(
  `a about above actually after again all also am an and any anybody anyone anything are around as ask at available
  be because been before being below between both but by
  came can cannot come could couldn curious
  did do does doesn doing don done down during
  each either else enough especially etc even ever every everything exactly example
  few for from further
  gave give given gives giving go goes going gonna good got great guess
  had has hasn have haven having he hello help helps her here hers hey hi him his how however
  i if im in instead interested into is isn it its itself ive
  just keep kind kindly know
  least let lets like ll look looking lot
  m made make makes many may maybe me mean might mine more most much must my myself
  necessary need needed needs neither no nor not now
  of off often oh ok okay on once one ones only onto or other others our ours out over own
  particular perhaps please possible provide provided provides put
  quite
  rather re really
  s same say says seem seems several shall she should since so some somebody someone something sometimes soon specific such sure
  t take tell than thank thanks that the their theirs them then there these they thing things think this those through to together too toward try trying
  under until up upon us use used useful using
  various ve very
  wanna want wanted wants was wasn way we well were what whatever when where whether which while who whole whom whose why will wish with within without won wonder wondering would
  yes yet you your yours yourself`
    .split(/\s+/u)
    .filter((word) => word !== ""),
);

export function isStopWord(word: string): boolean {
  return STOP_WORDS.has(word);
}
