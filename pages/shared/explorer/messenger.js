// Holds what was last said of the point and the marks, on every page. The part `channel` comes before this file.

export default function messenger({ data, setStateValue }) {
  const channel = openChannel(data.channel);
  const own = { setStateValue };
  channel.messenger = own;
  return () => {
    if (channel.messenger === own) channel.messenger = null;
  };
}
