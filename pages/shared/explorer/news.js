// Passes news on to the explorer of the same channel. The part `channel` comes before this file.

export default function news({ data }) {
  const channel = openChannel(data.channel);
  channel.news = data;
  channel.listener?.(data);
  return () => {
    channel.news = null;
  };
}
